// Package keysvc guards the routes of an application with API keys, charges credits and records traffic. It is the client of
// keysvc, the key management and analytics service.
//
// [New] makes middleware for net/http; the packages keysvcgin, keysvcecho and keysvcfiber do the same for Gin, Echo v5 and
// Fiber v3. Each request is validated, and recorded in the background once it is answered:
//
//	guard, err := keysvc.New(keysvc.MiddlewareOptions{APIID: "api_..."}) // KEYSVC_PROJECT_KEY has the credential
//	if err != nil {
//		log.Fatal(err)
//	}
//	http.ListenAndServe(":3000", guard(mux))
//
// [Client] asks and records directly. A validation is never sent again by the client, because it deducts credits.
package keysvc
