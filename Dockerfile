# Postrider as one image: `serve` with its web application. See compose.yaml for an example with a separate database.

# The web application needs the devDependencies to build, so it is built in a separate stage.
FROM node:24-bookworm-slim AS ui
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --ignore-scripts
COPY . .
RUN npm run ui:build

# The optional dependencies (an embedded PostgreSQL, Chromium) are left out: the image has the PostgreSQL of Debian.
FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Postrider" \
  org.opencontainers.image.description="Self-hosted email marketing service" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="0.1.0"
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-15 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --omit=dev --omit=optional
COPY . .
COPY --from=ui /app/ui/dist ui/dist
RUN mkdir /data && chown node:node /data
# The rest of the image is read-only, so Node caches compiled code with the data. The next start takes half the time.
ENV HOST=0.0.0.0 DATA_DIR=/data NODE_COMPILE_CACHE=/data/compile-cache
VOLUME /data
# Nothing in the image needs root.
USER node
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
EXPOSE 8080
CMD ["node", "src/main.ts", "serve"]
