# The service alone, compiled; the database is another container (compose.yaml).
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Nothing that is compiled with needs a script of a package.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY gen ./gen
COPY src ./src
RUN npx tsc --project tsconfig.build.json

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production KEYSVC_HOST=0.0.0.0 KEYSVC_DATA_DIR=/data
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY LICENSE ./
COPY bin ./bin
COPY gen ./gen
COPY --from=build /build/dist ./dist
RUN ln -s /app/bin/keysvc /usr/local/bin/keysvc && mkdir /data && chown 1000:1000 /data
# The user `node` of the image, as a number: Kubernetes sees by it that it is not root.
USER 1000
VOLUME /data
EXPOSE 8080 8081
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s CMD ["keysvc", "ready"]
# Node itself, so that the signals reach it; it minds them as the first process too.
CMD ["node", "--enable-source-maps", "--min-semi-space-size=16", "dist/main.js"]
