# The service alone; the database is another container (compose.yaml).
FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production KEYSVC_HOST=0.0.0.0 KEYSVC_DATA_DIR=/data
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY gen ./gen
COPY src ./src
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 8081
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "--min-semi-space-size=16", "src/main.ts"]
