// The mock as an HTTP server on a free port: in memory, without log and token checks, like its own server.
import { CommercetoolsMock } from "@labdigital/commercetools-mock";

const mock = new CommercetoolsMock({ strict: true, silent: true });
const address = await mock.app.listen({ port: 0, host: "127.0.0.1" });
console.log(`mock listening on ${address}`);
