export const USAGE = `usage: keysvc <command>

  start                                         runs the service; start --help lists its settings
  doctor [--json]                               says what is wrong with this installation, and how to mend it; with the
                                                settings of the service, beside it or without it
  ready                                         ends with 0 when the service takes calls, else with 1: for health checks
  help                                          shows this
  --version                                     shows the version

Projects, with the operator's credential (KEYSVC_ADMIN_KEY, else admin-key in KEYSVC_DATA_DIR):

  project create <name>                         makes a project, and shows its first credential
  project list [--page N] [--limit N]           lists the projects, newest first
  project delete <projectId> --yes              deletes a project for good, with everything that it owns

Credentials of a project, with one of its own that has the scope manage (KEYSVC_PROJECT_KEY, else project-key in
KEYSVC_DATA_DIR):

  project credential create [--name TEXT] [--scopes read,validate]
                                                makes a credential, and shows it; scopes are manage, read, validate and
                                                ingest, all of them by default
  project credential list [--page N] [--limit N]
  project credential rotate <credentialId> [--grace-seconds N]
                                                gives it a new value, and shows it; the old one goes on for the grace
  project credential revoke <credentialId>      ends it, and its old values

  --json                                        prints the answer of the service as JSON

The service is found at KEYSVC_BASE_URL, else by KEYSVC_HOST and KEYSVC_PORT.
`;
