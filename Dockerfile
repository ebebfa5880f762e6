ARG NODE_VERSION=22

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package needs its install scripts; the dependencies are a layer of their own.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM node:${NODE_VERSION}-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# For the jobs of CI systems, which bring their own shell, user and folder: docker build --target ci.
FROM node:${NODE_VERSION}-bookworm-slim AS ci
RUN apt-get update \
  && apt-get install -y --no-install-recommends git openssh-client ca-certificates curl \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY deploy/ci/skep-ci.sh /usr/local/bin/skep-ci
RUN ln -s /app/dist/cli.js /usr/local/bin/skep
# Another user than that of the job made the checkout, so that git would refuse it.
ENV GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=*
ENTRYPOINT []
CMD ["bash"]

FROM node:${NODE_VERSION}-bookworm-slim
# git answers clones, packs Hives and pushes mirrors, by ssh or https.
RUN apt-get update \
  && apt-get install -y --no-install-recommends git openssh-client ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Named volumes take their owner from here.
RUN ln -s /app/dist/cli.js /usr/local/bin/skep \
  && install -d -o node -g node /storage /backup
ENV NODE_ENV=production SKEP_HOST=0.0.0.0 SKEP_PORT=4488 SKEP_STORAGE=/storage
USER node
VOLUME ["/storage", "/backup"]
EXPOSE 4488
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SKEP_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["skep"]
CMD ["serve"]
