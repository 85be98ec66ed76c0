/** The middleware for Express 5 and 4. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { connectionAddress } from "./middleware/client-address.ts";
import { Guard, type GuardControl } from "./middleware/guard.ts";
import { enterNode, socketAddress } from "./middleware/node-guard.ts";
import { sendDenial } from "./middleware/node-response.ts";
import type { MiddlewareOptions } from "./middleware/options.ts";

export { decisionOf, validationErrorOf } from "./middleware/context.ts";
export type * from "./middleware/public.ts";

/** What Express adds to a request, as far as it is used. */
interface ExpressParts {
  originalUrl?: string;
  baseUrl?: string;
  ip?: string | undefined;
  route?: { path?: unknown } | undefined;
}

/** The middleware: `app.use(keysvcGuard(options))`. */
export interface ExpressGuard<Request extends IncomingMessage> extends GuardControl {
  (request: Request, response: ServerResponse, next: (error?: unknown) => void): void;
}

/**
 * Guards the routes of Express that come after it. The decision is `decisionOf(request)`.
 *
 * @throws ConfigurationError when an option cannot be used
 */
export function keysvcGuard<Request extends IncomingMessage = IncomingMessage>(
  options: MiddlewareOptions<Request>,
): ExpressGuard<Request> {
  const guard = new Guard(options);
  const middleware = (request: Request, response: ServerResponse, next: (error?: unknown) => void): void => {
    if (guard.settings === undefined) {
      next();
      return;
    }
    const parts: Request & ExpressParts = request;
    const entry = enterNode(guard, {
      message: request,
      response,
      raw: request,
      target: parts.originalUrl ?? request.url ?? "/",
      routedTarget: routedTargetOf(parts),
      address: () => connectionAddress(parts.ip) ?? socketAddress(request),
      route: () => routeOf(parts),
    });
    entry.then((entered) => {
      if (entered === undefined || entered.admission.kind === "pass") return next();
      if (entered.admission.kind === "gone") return;
      try {
        sendDenial(response, entered.admission.denial);
      } catch (error) {
        // Something before the guard has answered already.
        next(error);
      }
    }, next);
  };
  return Object.assign(middleware, {
    flush: guard.flush.bind(guard),
    close: guard.close.bind(guard),
  });
}

/** Under a mount Express takes its path off, and leaves a slash where nothing else would be left. */
function routedTargetOf({ originalUrl, baseUrl = "", url = "/" }: IncomingMessage & ExpressParts): string {
  const target = baseUrl + url;
  const withoutSlash = baseUrl + url.replace(/^\/(?=\?|$)/, "");
  return withoutSlash === originalUrl ? originalUrl : target;
}

/** Known while a route's own handlers run, and after. */
function routeOf({ baseUrl = "", route }: ExpressParts): string | undefined {
  return typeof route?.path === "string" ? baseUrl + route.path : undefined;
}
