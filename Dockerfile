# A small image with the one binary. Build: docker build -t kontor .
# Debug symbols: docker build --target debug --output . .
FROM rust:1.95-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cargo xtask release

FROM scratch AS debug
COPY --from=build /src/target/dist/kontor.debug /

FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
RUN useradd --system --create-home --home-dir /var/lib/kontor kontor
COPY --from=build /src/target/dist/kontor /usr/local/bin/kontor
USER kontor
VOLUME /var/lib/kontor
# Loopback is not reachable from outside a container, so listen on all addresses; publish the port with care.
ENV KONTOR_LISTEN=0.0.0.0:8989 KONTOR_DATA=/var/lib/kontor/data
EXPOSE 8989
# The health check uses the shell of the image, so no other program is needed.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/${KONTOR_LISTEN##*:} && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["kontor"]
CMD ["serve"]
