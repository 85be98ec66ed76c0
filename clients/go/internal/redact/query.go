package redact

import (
	"strings"

	"github.com/keysvc/keysvc-go/internal/percent"
)

// secretNames are parameters whose names tell of a secret, in lower case with underscores.
var secretNames = Names{
	"key": {}, "api_key": {}, "apikey": {}, "x_api_key": {}, "token": {}, "access_token": {}, "refresh_token": {},
	"id_token": {}, "auth_token": {}, "jwt": {}, "secret": {}, "client_secret": {}, "password": {}, "passwd": {}, "pwd": {}, "auth": {}, "authorization": {},
	"signature": {}, "sig": {}, "code": {}, "session": {}, "session_id": {}, "credential": {},
}

// Query hides the values of parameters whose names tell of a secret, of the one that holds the key, and the secrets wherever
// else they stand. The query is the one that was sent, and stays encoded.
func Query(rawQuery, keyName string, secrets []string) string {
	keyName = normalName(keyName)
	var out strings.Builder
	for rawQuery != "" {
		part, separator := rawQuery, ""
		if at := strings.IndexAny(rawQuery, "&;"); at >= 0 {
			part, separator = rawQuery[:at], rawQuery[at:at+1]
		}
		rawQuery = rawQuery[len(part)+len(separator):]
		name, _, hasValue := strings.Cut(part, "=")
		if hasValue && isSecretName(name, keyName) {
			part = name + "=" + Mark
		}
		out.WriteString(part)
		out.WriteString(separator)
	}
	return Text(out.String(), secrets)
}

func isSecretName(written, keyName string) bool {
	name := normalName(percent.DecodeQuery(written))
	_, isSecret := secretNames[name]
	return isSecret || keyName != "" && name == keyName
}

func normalName(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_")
}
