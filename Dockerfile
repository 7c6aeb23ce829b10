# The gateway with the browser application inside; the sandbox is for laptops and tests and has no image.
#   docker build --tag spaceport .
#   docker run --publish 8080:8080 --volume ./spaceport.toml:/etc/spaceport/spaceport.toml:ro spaceport

FROM docker.io/library/rust:1.95-trixie AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends nodejs npm \
 && rm -rf /var/lib/apt/lists/* \
 && rustup target add wasm32-unknown-unknown
WORKDIR /src
# Everything the workspace names as a member must be there, or cargo refuses to read it.
COPY Cargo.toml Cargo.lock rustfmt.toml clippy.toml Trunk.toml ./
COPY .cargo .cargo
COPY xtask xtask
COPY shared shared
COPY frontend frontend
COPY gateway gateway
COPY sandbox sandbox
COPY tests tests
RUN cargo xtask spa
RUN cargo build --release --locked --package spaceport-gateway --features embed-assets

FROM docker.io/library/debian:trixie-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=10001 --group=10001 /var/lib/spaceport
COPY --from=build /src/target/release/spaceport /usr/local/bin/spaceport
USER 10001:10001
VOLUME /var/lib/spaceport
EXPOSE 8080 8081
ENTRYPOINT ["/usr/local/bin/spaceport"]
CMD ["serve", "--config", "/etc/spaceport/spaceport.toml"]
