// The mock as an HTTP server on a free port: in memory, no log, no check of tokens, as its own server starts it.
import { CommercetoolsMock } from "@labdigital/commercetools-mock";

const mock = new CommercetoolsMock({ strict: true, silent: true });
const address = await mock.app.listen({ port: 0, host: "127.0.0.1" });
console.log(`mock listening on ${address}`);
