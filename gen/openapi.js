// Generated from proto/keysvc/v1 by protoc-gen-keysvc. Do not edit.

export const document = {
  "openapi": "3.1.0",
  "info": {
    "title": "keysvc",
    "version": "0.1.0",
    "description": "Key management and analytics. Every path takes POST with a JSON object and a project credential. Every operation lists the problems that any of them may answer, whether this one can or not.",
    "license": {
      "name": "Apache-2.0",
      "identifier": "Apache-2.0"
    }
  },
  "servers": [
    {
      "url": "/",
      "description": "The service that this document is read from."
    }
  ],
  "security": [
    {
      "credential": []
    }
  ],
  "tags": [
    {
      "name": "AnalyticsService",
      "description": "Queries over the recorded events. Errors are calls answered with status 400 and above."
    },
    {
      "name": "ApiService",
      "description": "APIs: what the keys of a project may call, and what its analytics can be narrowed to. Key counts have the keys of deleted consumers in them until these are gone; counting takes a while where there are very many keys."
    },
    {
      "name": "AuditService",
      "description": "The record of who changed what. No key, credential or secret is ever in it."
    },
    {
      "name": "ConsumerService",
      "description": "Consumers: the customers of a project, each with one credit pool for all of its keys."
    },
    {
      "name": "IngestService",
      "description": "Takes in traffic events."
    },
    {
      "name": "KeyService",
      "description": "API keys and their validation."
    },
    {
      "name": "PlanService",
      "description": "Plans: credits and a rate limit that are copied onto a consumer when the plan is attached."
    },
    {
      "name": "ProjectService",
      "description": "Projects, which own everything else, and the credentials that open them."
    },
    {
      "name": "WebhookService",
      "description": "Events that are sent to the addresses of consumers: what became of them, and the secret that signs them."
    }
  ],
  "paths": {
    "/analytics/stats": {
      "post": {
        "operationId": "AnalyticsService.Stats",
        "tags": [
          "AnalyticsService"
        ],
        "summary": "Sums up a window: calls, errors and latency",
        "description": "Sums up a window: calls, errors and latency.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AnalyticsServiceStatsRequest"
              },
              "example": {
                "source": "key_activity",
                "timeRange": "24h"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "Age": {
                "$ref": "#/components/headers/Age"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AnalyticsServiceStatsResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/analytics/stats/details": {
      "post": {
        "operationId": "AnalyticsService.StatsDetails",
        "tags": [
          "AnalyticsService"
        ],
        "summary": "Shows what is behind one figure of the summary",
        "description": "Shows what is behind one figure of the summary.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AnalyticsServiceStatsDetailsRequest"
              },
              "example": {
                "source": "key_activity",
                "card": "errorRate"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "Age": {
                "$ref": "#/components/headers/Age"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AnalyticsServiceStatsDetailsResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/analytics/timeseries": {
      "post": {
        "operationId": "AnalyticsService.Timeseries",
        "tags": [
          "AnalyticsService"
        ],
        "summary": "Shows how calls, errors and latency went over a window, in buckets of a size that fits it",
        "description": "Shows how calls, errors and latency went over a window, in buckets of a size that fits it.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AnalyticsServiceTimeseriesRequest"
              },
              "example": {
                "source": "api_traffic",
                "timeRange": "7d"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "Age": {
                "$ref": "#/components/headers/Age"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AnalyticsServiceTimeseriesResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/analytics/breakdown": {
      "post": {
        "operationId": "AnalyticsService.Breakdown",
        "tags": [
          "AnalyticsService"
        ],
        "summary": "Ranks the values of one dimension by calls, at most 50 of them",
        "description": "Ranks the values of one dimension by calls, at most 50 of them.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AnalyticsServiceBreakdownRequest"
              },
              "example": {
                "source": "api_traffic",
                "dimension": "endpoint",
                "filters": {
                  "method": "GET"
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "Age": {
                "$ref": "#/components/headers/Age"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AnalyticsServiceBreakdownResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/analytics/logs": {
      "post": {
        "operationId": "AnalyticsService.Logs",
        "tags": [
          "AnalyticsService"
        ],
        "summary": "Lists single events, newest first",
        "description": "Lists single events, newest first. A walk over the pages sees each event that was there at its start once.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AnalyticsServiceLogsRequest"
              },
              "example": {
                "source": "api_traffic",
                "statusFilter": "error",
                "pageSize": 100
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AnalyticsServiceLogsResponse"
                }
              },
              "application/x-ndjson": {
                "schema": {
                  "$ref": "#/components/schemas/LogRow"
                }
              },
              "text/csv": {
                "schema": {
                  "type": "string"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "406": {
            "$ref": "#/components/responses/406"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/analytics/logs/export": {
      "post": {
        "operationId": "AnalyticsService.LogsExport",
        "tags": [
          "AnalyticsService"
        ],
        "summary": "Gives all events of a window, newest first, without pages",
        "description": "Gives all events of a window, newest first, without pages.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AnalyticsServiceLogsExportRequest"
              },
              "example": {
                "source": "key_activity",
                "timeRange": "7d"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/x-ndjson": {
                "schema": {
                  "$ref": "#/components/schemas/LogRow"
                }
              },
              "text/csv": {
                "schema": {
                  "type": "string"
                }
              },
              "text/event-stream": {
                "schema": {
                  "$ref": "#/components/schemas/LogRow"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "406": {
            "$ref": "#/components/responses/406"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/analytics/logs/detail": {
      "post": {
        "operationId": "AnalyticsService.LogsDetail",
        "tags": [
          "AnalyticsService"
        ],
        "summary": "Shows all that is recorded of one request: its validation and the call that was served",
        "description": "Shows all that is recorded of one request: its validation and the call that was served. Not found: there is neither.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AnalyticsServiceLogsDetailRequest"
              },
              "example": {
                "requestId": "req_01m7ybxckkj48yzmvj5eg0ev80",
                "timestamp": "2026-11-21 20:52:17"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AnalyticsServiceLogsDetailResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/analytics/logs/tail": {
      "post": {
        "operationId": "AnalyticsService.LogsTail",
        "tags": [
          "AnalyticsService"
        ],
        "summary": "Follows the events of the project as they arrive, from now on, until the caller hangs up",
        "description": "Follows the events of the project as they arrive, from now on, until the caller hangs up.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AnalyticsServiceLogsTailRequest"
              },
              "example": {
                "source": "key_activity",
                "statusFilter": "error"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "text/event-stream": {
                "schema": {
                  "$ref": "#/components/schemas/LogRow"
                }
              },
              "application/x-ndjson": {
                "schema": {
                  "$ref": "#/components/schemas/LogRow"
                }
              },
              "text/csv": {
                "schema": {
                  "type": "string"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "406": {
            "$ref": "#/components/responses/406"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/api/create": {
      "post": {
        "operationId": "ApiService.Create",
        "tags": [
          "ApiService"
        ],
        "summary": "Makes an API",
        "description": "Makes an API.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ApiServiceCreateRequest"
              },
              "example": {
                "name": "Maps"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ApiServiceCreateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/api/update": {
      "post": {
        "operationId": "ApiService.Update",
        "tags": [
          "ApiService"
        ],
        "summary": "Changes an API: absent fields stay, a value is set",
        "description": "Changes an API: absent fields stay, a value is set.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ApiServiceUpdateRequest"
              },
              "example": {
                "apiId": "api_01m7ybxckm2pbp0cr9h7e6tw1d",
                "name": "Maps and routes"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ApiServiceUpdateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/api/details": {
      "post": {
        "operationId": "ApiService.Details",
        "tags": [
          "ApiService"
        ],
        "summary": "Shows an API",
        "description": "Shows an API.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ApiServiceDetailsRequest"
              },
              "example": {
                "apiId": "api_01m7ybxckm2pbp0cr9h7e6tw1d"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ApiServiceDetailsResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/api/list": {
      "post": {
        "operationId": "ApiService.List",
        "tags": [
          "ApiService"
        ],
        "summary": "Lists the APIs of the project, newest first",
        "description": "Lists the APIs of the project, newest first.\n\nScope: `read`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ApiServiceListRequest"
              },
              "example": {
                "page": 1,
                "limit": 25
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ApiServiceListResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/api/delete": {
      "post": {
        "operationId": "ApiService.Delete",
        "tags": [
          "ApiService"
        ],
        "summary": "Deletes an API: no key may call it any more, though keys that name it keep its id",
        "description": "Deletes an API: no key may call it any more, though keys that name it keep its id. Its recorded events stay.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ApiServiceDeleteRequest"
              },
              "example": {
                "apiId": "api_01m7ybxckm2pbp0cr9h7e6tw1d"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ApiServiceDeleteResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/audit/list": {
      "post": {
        "operationId": "AuditService.List",
        "tags": [
          "AuditService"
        ],
        "summary": "Lists changes in the project, newest first",
        "description": "Lists changes in the project, newest first.\n\nScope: `read`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/AuditServiceListRequest"
              },
              "example": {
                "targetId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AuditServiceListResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/consumer/create": {
      "post": {
        "operationId": "ConsumerService.Create",
        "tags": [
          "ConsumerService"
        ],
        "summary": "Makes a consumer",
        "description": "Makes a consumer. Credits come from the credits object, else from the plan, else usage is unlimited.\n\nScope: `manage`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ConsumerServiceCreateRequest"
              },
              "example": {
                "name": "Acme",
                "credits": {
                  "limit": 1000,
                  "refill": {
                    "every": "30d",
                    "refillCredit": 1000
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConsumerServiceCreateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/consumer/update": {
      "post": {
        "operationId": "ConsumerService.Update",
        "tags": [
          "ConsumerService"
        ],
        "summary": "Changes a consumer: absent fields stay, null clears, a value is set",
        "description": "Changes a consumer: absent fields stay, null clears, a value is set.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ConsumerServiceUpdateRequest"
              },
              "example": {
                "consumerId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4",
                "credits": {
                  "limit": 2000
                },
                "rateLimit": null
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConsumerServiceUpdateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/consumer/details": {
      "post": {
        "operationId": "ConsumerService.Details",
        "tags": [
          "ConsumerService"
        ],
        "summary": "Shows a consumer with its credits as they stand, refills that are due included",
        "description": "Shows a consumer with its credits as they stand, refills that are due included.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ConsumerServiceDetailsRequest"
              },
              "example": {
                "consumerId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConsumerServiceDetailsResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/consumer/list": {
      "post": {
        "operationId": "ConsumerService.List",
        "tags": [
          "ConsumerService"
        ],
        "summary": "Lists the consumers of the project, newest first",
        "description": "Lists the consumers of the project, newest first. Filters combine with AND.\n\nScope: `read`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ConsumerServiceListRequest"
              },
              "example": {
                "search": "acme",
                "sortBy": "creditsRemaining",
                "sortOrder": "asc"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConsumerServiceListResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/consumer/keys": {
      "post": {
        "operationId": "ConsumerService.Keys",
        "tags": [
          "ConsumerService"
        ],
        "summary": "Shows the keys of a consumer, in clear where they are recoverable",
        "description": "Shows the keys of a consumer, in clear where they are recoverable.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ConsumerServiceKeysRequest"
              },
              "example": {
                "consumerId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConsumerServiceKeysResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/consumer/delete": {
      "post": {
        "operationId": "ConsumerService.Delete",
        "tags": [
          "ConsumerService"
        ],
        "summary": "Deletes a consumer and its keys, for 7 days recoverable unless permanent",
        "description": "Deletes a consumer and its keys, for 7 days recoverable unless permanent.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ConsumerServiceDeleteRequest"
              },
              "example": {
                "consumerId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConsumerServiceDeleteResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/ingest": {
      "post": {
        "operationId": "IngestService.Ingest",
        "tags": [
          "IngestService"
        ],
        "summary": "Records calls that a guarded application served; the events are durable before the answer",
        "description": "Records calls that a guarded application served; the events are durable before the answer. A bad event is rejected alone, and a request id that was recorded within 24 hours is not recorded again, so a batch may be sent twice.\n\nScope: `ingest`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/IngestServiceIngestRequest"
              },
              "example": {
                "events": [
                  {
                    "method": "GET",
                    "path": "/v1/orders?page=2",
                    "statusCode": 200,
                    "latencyMs": 12.5,
                    "consumerId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4"
                  }
                ]
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IngestServiceIngestResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/create": {
      "post": {
        "operationId": "KeyService.Create",
        "tags": [
          "KeyService"
        ],
        "summary": "Makes a key for a consumer and shows its value",
        "description": "Makes a key for a consumer and shows its value.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceCreateRequest"
              },
              "example": {
                "consumerId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4",
                "name": "production"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceCreateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/update": {
      "post": {
        "operationId": "KeyService.Update",
        "tags": [
          "KeyService"
        ],
        "summary": "Changes a key: absent fields stay, null clears, a value is set",
        "description": "Changes a key: absent fields stay, null clears, a value is set.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceUpdateRequest"
              },
              "example": {
                "keyId": "key_01m7ybxck6m6d8y4hngbs8wt0h",
                "enabled": false
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceUpdateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/details": {
      "post": {
        "operationId": "KeyService.Details",
        "tags": [
          "KeyService"
        ],
        "summary": "Shows a key, its value masked",
        "description": "Shows a key, its value masked.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceDetailsRequest"
              },
              "example": {
                "keyId": "key_01m7ybxck6m6d8y4hngbs8wt0h"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceDetailsResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/list": {
      "post": {
        "operationId": "KeyService.List",
        "tags": [
          "KeyService"
        ],
        "summary": "Lists keys, newest first, their values masked",
        "description": "Lists keys, newest first, their values masked.\n\nScope: `read`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceListRequest"
              },
              "example": {
                "consumerId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceListResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/rotate": {
      "post": {
        "operationId": "KeyService.Rotate",
        "tags": [
          "KeyService"
        ],
        "summary": "Gives a key a new value; the old one goes on for the grace period",
        "description": "Gives a key a new value; the old one goes on for the grace period. Up to 20 old values are in their grace at once.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceRotateRequest"
              },
              "example": {
                "keyId": "key_01m7ybxck6m6d8y4hngbs8wt0h",
                "graceSeconds": 3600
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceRotateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/delete": {
      "post": {
        "operationId": "KeyService.Delete",
        "tags": [
          "KeyService"
        ],
        "summary": "Deletes a key for good: it does not come back with its consumer",
        "description": "Deletes a key for good: it does not come back with its consumer.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceDeleteRequest"
              },
              "example": {
                "keyId": "key_01m7ybxck6m6d8y4hngbs8wt0h"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceDeleteResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/import": {
      "post": {
        "operationId": "KeyService.Import",
        "tags": [
          "KeyService"
        ],
        "summary": "Takes over keys of another service by their SHA-256 hashes, all of them or none",
        "description": "Takes over keys of another service by their SHA-256 hashes, all of them or none.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceImportRequest"
              },
              "example": {
                "consumerId": "consumer_01m7ybxcjmgrmavx6mc6xnpnx4",
                "keys": [
                  {
                    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                    "name": "from before"
                  }
                ]
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceImportResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/validate": {
      "post": {
        "operationId": "KeyService.Validate",
        "tags": [
          "KeyService"
        ],
        "summary": "Answers whether a key may pass, and charges its consumer's pool when it does",
        "description": "Answers whether a key may pass, and charges its consumer's pool when it does. A denial is an answer, not an error, and costs nothing.\n\nScope: `validate`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceValidateRequest"
              },
              "example": {
                "key": "sk_PMAsGgF5lwlLGCtySYUlwUzBgFA3PY0Mx",
                "credits": 5
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              },
              "RateLimit-Policy": {
                "$ref": "#/components/headers/RateLimit-Policy"
              },
              "RateLimit": {
                "$ref": "#/components/headers/RateLimit"
              },
              "Retry-After": {
                "$ref": "#/components/headers/Retry-After"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceValidateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/key/validate/batch": {
      "post": {
        "operationId": "KeyService.ValidateBatch",
        "tags": [
          "KeyService"
        ],
        "summary": "Validates up to 100 keys, each on its own, and answers in their order",
        "description": "Validates up to 100 keys, each on its own, and answers in their order. When one fails, the call fails, but the others were settled all the same: give each a requestId to be able to send them again.\n\nScope: `validate`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/KeyServiceValidateBatchRequest"
              },
              "example": {
                "requests": [
                  {
                    "key": "sk_PMAsGgF5lwlLGCtySYUlwUzBgFA3PY0Mx"
                  },
                  {
                    "key": "sk_PMAsGgF5lwlLGCtySYUlwUzBgFA3PY0Mx",
                    "credits": 0
                  }
                ]
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/KeyServiceValidateBatchResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/plan/create": {
      "post": {
        "operationId": "PlanService.Create",
        "tags": [
          "PlanService"
        ],
        "summary": "Makes a plan",
        "description": "Makes a plan.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/PlanServiceCreateRequest"
              },
              "example": {
                "name": "Pro",
                "credits": {
                  "limit": 10000,
                  "refill": {
                    "every": "30d",
                    "refillCredit": 10000
                  }
                },
                "rateLimit": {
                  "limit": 100,
                  "window": 60
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PlanServiceCreateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/plan/update": {
      "post": {
        "operationId": "PlanService.Update",
        "tags": [
          "PlanService"
        ],
        "summary": "Changes a plan: absent fields stay, null clears, a value is set",
        "description": "Changes a plan: absent fields stay, null clears, a value is set. Consumers that hold it keep what was copied, unless the change is applied to them.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/PlanServiceUpdateRequest"
              },
              "example": {
                "planId": "plan_01m7ybxckm8hzr2vq4d0j5wq3n",
                "rateLimit": {
                  "limit": 200,
                  "window": 60
                },
                "applyToConsumers": true
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PlanServiceUpdateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/plan/details": {
      "post": {
        "operationId": "PlanService.Details",
        "tags": [
          "PlanService"
        ],
        "summary": "Shows a plan",
        "description": "Shows a plan.\n\nScope: `read`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/PlanServiceDetailsRequest"
              },
              "example": {
                "planId": "plan_01m7ybxckm8hzr2vq4d0j5wq3n"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PlanServiceDetailsResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/plan/list": {
      "post": {
        "operationId": "PlanService.List",
        "tags": [
          "PlanService"
        ],
        "summary": "Lists the plans of the project, newest first",
        "description": "Lists the plans of the project, newest first.\n\nScope: `read`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/PlanServiceListRequest"
              },
              "example": {
                "page": 1,
                "limit": 25
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PlanServiceListResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/plan/delete": {
      "post": {
        "operationId": "PlanService.Delete",
        "tags": [
          "PlanService"
        ],
        "summary": "Deletes a plan",
        "description": "Deletes a plan. Consumers that hold it keep what was copied.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/PlanServiceDeleteRequest"
              },
              "example": {
                "planId": "plan_01m7ybxckm8hzr2vq4d0j5wq3n"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PlanServiceDeleteResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/project/create": {
      "post": {
        "operationId": "ProjectService.Create",
        "tags": [
          "ProjectService"
        ],
        "summary": "Makes a project and its first credential, which carries all scopes",
        "description": "Makes a project and its first credential, which carries all scopes.\n\nScope: `operator`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProjectServiceCreateRequest"
              },
              "example": {
                "name": "Acme"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectServiceCreateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/project/list": {
      "post": {
        "operationId": "ProjectService.List",
        "tags": [
          "ProjectService"
        ],
        "summary": "Lists all projects, newest first",
        "description": "Lists all projects, newest first.\n\nScope: `operator`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProjectServiceListRequest"
              },
              "example": {
                "page": 1,
                "limit": 25
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectServiceListResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/project/delete": {
      "post": {
        "operationId": "ProjectService.Delete",
        "tags": [
          "ProjectService"
        ],
        "summary": "Deletes a project for good, with everything that it owns",
        "description": "Deletes a project for good, with everything that it owns. Nobody gets in within 200 ms; what it owned is removed in the minutes after.\n\nScope: `operator`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProjectServiceDeleteRequest"
              },
              "example": {
                "projectId": "project_01m7ybxckmz6y2c4a1t9p0d5e8"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectServiceDeleteResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/project/credential/create": {
      "post": {
        "operationId": "ProjectService.CredentialCreate",
        "tags": [
          "ProjectService"
        ],
        "summary": "Makes another credential for the caller's project and shows its value, which is never shown again",
        "description": "Makes another credential for the caller's project and shows its value, which is never shown again.\n\nScope: `manage`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProjectServiceCredentialCreateRequest"
              },
              "example": {
                "name": "gateway",
                "scopes": [
                  "validate"
                ]
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectServiceCredentialCreateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/project/credential/list": {
      "post": {
        "operationId": "ProjectService.CredentialList",
        "tags": [
          "ProjectService"
        ],
        "summary": "Lists the credentials of the caller's project that are not revoked, newest first, without their values",
        "description": "Lists the credentials of the caller's project that are not revoked, newest first, without their values.\n\nScope: `manage`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProjectServiceCredentialListRequest"
              },
              "example": {
                "page": 1,
                "limit": 25
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectServiceCredentialListResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/project/credential/rotate": {
      "post": {
        "operationId": "ProjectService.CredentialRotate",
        "tags": [
          "ProjectService"
        ],
        "summary": "Gives a credential a new value and shows it; the old one goes on for the grace period",
        "description": "Gives a credential a new value and shows it; the old one goes on for the grace period. At most 20 old values of a credential are in their grace at once.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProjectServiceCredentialRotateRequest"
              },
              "example": {
                "credentialId": "credential_01m7ybxckm3f7k1n8s6b2v4x0g",
                "graceSeconds": 3600
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectServiceCredentialRotateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/project/credential/revoke": {
      "post": {
        "operationId": "ProjectService.CredentialRevoke",
        "tags": [
          "ProjectService"
        ],
        "summary": "Revokes a credential for good, its old values too; it stops within 200 ms on every node",
        "description": "Revokes a credential for good, its old values too; it stops within 200 ms on every node. The last one with the scope manage stays, because nobody could get in again.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProjectServiceCredentialRevokeRequest"
              },
              "example": {
                "credentialId": "credential_01m7ybxckm3f7k1n8s6b2v4x0g"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ProjectServiceCredentialRevokeResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/webhook/deliveries": {
      "post": {
        "operationId": "WebhookService.Deliveries",
        "tags": [
          "WebhookService"
        ],
        "summary": "Lists the events of the project that are or were to be sent, newest first",
        "description": "Lists the events of the project that are or were to be sent, newest first. Filters combine with AND.\n\nScope: `read`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/WebhookServiceDeliveriesRequest"
              },
              "example": {
                "status": "failed",
                "pageSize": 10
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/WebhookServiceDeliveriesResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/webhook/replay": {
      "post": {
        "operationId": "WebhookService.Replay",
        "tags": [
          "WebhookService"
        ],
        "summary": "Sends an event again, at once and with the same webhook-id, to the address that its consumer has now",
        "description": "Sends an event again, at once and with the same webhook-id, to the address that its consumer has now. The attempts start anew.\n\nScope: `manage`.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/WebhookServiceReplayRequest"
              },
              "example": {
                "eventId": "evt_01m7yc2b1f6a1tcw9ytv2m9gqk"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/WebhookServiceReplayResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    },
    "/webhook/secret/rotate": {
      "post": {
        "operationId": "WebhookService.SecretRotate",
        "tags": [
          "WebhookService"
        ],
        "summary": "Gives the project a new signing secret and shows it",
        "description": "Gives the project a new signing secret and shows it. Events are signed with both secrets for the grace period.\n\nScope: `manage`.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/WebhookServiceSecretRotateRequest"
              },
              "example": {
                "graceSeconds": 86400
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The answer.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/X-Request-Id"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/WebhookServiceSecretRotateResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/400"
          },
          "401": {
            "$ref": "#/components/responses/401"
          },
          "403": {
            "$ref": "#/components/responses/403"
          },
          "404": {
            "$ref": "#/components/responses/404"
          },
          "408": {
            "$ref": "#/components/responses/408"
          },
          "409": {
            "$ref": "#/components/responses/409"
          },
          "413": {
            "$ref": "#/components/responses/413"
          },
          "415": {
            "$ref": "#/components/responses/415"
          },
          "429": {
            "$ref": "#/components/responses/429"
          },
          "431": {
            "$ref": "#/components/responses/431"
          },
          "500": {
            "$ref": "#/components/responses/500"
          },
          "503": {
            "$ref": "#/components/responses/503"
          }
        }
      }
    }
  },
  "components": {
    "securitySchemes": {
      "credential": {
        "type": "http",
        "scheme": "bearer",
        "description": "A project credential, or the operator's own."
      }
    },
    "headers": {
      "X-Request-Id": {
        "description": "The id of the call.",
        "schema": {
          "type": "string"
        }
      },
      "Age": {
        "description": "For how many seconds the answer has been kept; where the window is given by timeRange.",
        "schema": {
          "type": "string"
        }
      },
      "RateLimit-Policy": {
        "description": "Of a consumer with a rate limit: its calls (q) per window of so many seconds (w).",
        "schema": {
          "type": "string"
        }
      },
      "RateLimit": {
        "description": "Of a consumer with a rate limit: the calls left (r), and the seconds until the next window (t).",
        "schema": {
          "type": "string"
        }
      },
      "Retry-After": {
        "description": "After how many seconds to try again: of a denial that passes, as in `retryAfterSeconds`, and of a problem that passes.",
        "schema": {
          "type": "string"
        }
      },
      "WWW-Authenticate": {
        "description": "That a credential is to be sent as a bearer token.",
        "schema": {
          "type": "string"
        }
      }
    },
    "responses": {
      "400": {
        "description": "The request is malformed or breaks a rule; `errors` names every field.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "401": {
        "description": "The credential is missing or wrong.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "WWW-Authenticate": {
            "$ref": "#/components/headers/WWW-Authenticate"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "403": {
        "description": "The credential does not have the scope.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "404": {
        "description": "Something that the request names does not exist in this project.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "406": {
        "description": "None of the content types that Accept names is served here.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "408": {
        "description": "The request did not arrive in time.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "409": {
        "description": "The state of something that the request names does not allow it.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "413": {
        "description": "The request is too large.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "415": {
        "description": "The content type is not application/json.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "429": {
        "description": "Too many calls; Retry-After tells when to try again.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "Retry-After": {
            "$ref": "#/components/headers/Retry-After"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "431": {
        "description": "The headers are too large.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "500": {
        "description": "A fault of the service.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "503": {
        "description": "The database is out of reach, or the service is overloaded; Retry-After tells when to try again.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/X-Request-Id"
          },
          "Retry-After": {
            "$ref": "#/components/headers/Retry-After"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      }
    },
    "schemas": {
      "AnalyticsDetails": {
        "description": "What is behind a figure: the one part that belongs to the card is set.",
        "anyOf": [
          {
            "$ref": "#/components/schemas/TotalRequestsDetails"
          },
          {
            "$ref": "#/components/schemas/TotalApiCallsDetails"
          },
          {
            "$ref": "#/components/schemas/ErrorRateDetails"
          },
          {
            "$ref": "#/components/schemas/LatencyDetails"
          }
        ]
      },
      "AnalyticsFiltersInput": {
        "type": "object",
        "description": "What a query is narrowed by: an event passes when each field that is given names its value. In JSON each is a value or an array of values.",
        "properties": {
          "endpoint": {
            "description": "Endpoints that were called.",
            "anyOf": [
              {
                "anyOf": [
                  {
                    "type": "string",
                    "maxLength": 8192
                  },
                  {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "maxLength": 8192
                    },
                    "maxItems": 100
                  }
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "method": {
            "description": "HTTP methods.",
            "anyOf": [
              {
                "anyOf": [
                  {
                    "type": "string",
                    "maxLength": 64
                  },
                  {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "maxLength": 64
                    },
                    "maxItems": 100
                  }
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "statusCode": {
            "description": "HTTP statuses, as numbers or digits.",
            "anyOf": [
              {
                "anyOf": [
                  {
                    "type": [
                      "integer",
                      "string"
                    ],
                    "format": "int32",
                    "minimum": 0,
                    "maximum": 999
                  },
                  {
                    "type": "array",
                    "items": {
                      "type": [
                        "integer",
                        "string"
                      ],
                      "format": "int32",
                      "minimum": 0,
                      "maximum": 999
                    },
                    "maxItems": 100
                  }
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "clientIp": {
            "description": "Callers' addresses.",
            "anyOf": [
              {
                "anyOf": [
                  {
                    "type": "string",
                    "maxLength": 256
                  },
                  {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "maxLength": 256
                    },
                    "maxItems": 100
                  }
                ]
              },
              {
                "type": "null"
              }
            ]
          },
          "consumer": {
            "description": "Consumers, by their ids, else by their names.",
            "anyOf": [
              {
                "anyOf": [
                  {
                    "type": "string",
                    "maxLength": 16384
                  },
                  {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "maxLength": 16384
                    },
                    "maxItems": 100
                  }
                ]
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceBreakdownRequest": {
        "type": "object",
        "description": "What to rank.",
        "required": [
          "source",
          "dimension"
        ],
        "properties": {
          "source": {
            "description": "The dataset to read.",
            "type": "string",
            "enum": [
              "api_traffic",
              "key_activity"
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window, up to now; 24h when neither this nor exact times are given, and never given beside them.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "startTime": {
            "description": "The first moment of an exact window; needs endTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "endTime": {
            "description": "The end of an exact window, not itself within it; needs startTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "apiId": {
            "description": "Calls of this API only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "filters": {
            "description": "What else to narrow by.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsFiltersInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "dimension": {
            "description": "What to break calls down by; a filter on the same is ignored.",
            "type": "string",
            "enum": [
              "endpoint",
              "method",
              "statusCode",
              "clientIp",
              "consumer"
            ],
            "x-enumDescriptions": {
              "endpoint": "The endpoint that was called.",
              "method": "The HTTP method.",
              "statusCode": "The HTTP status.",
              "clientIp": "The caller's address.",
              "consumer": "The consumer that called, by its id, else by its name."
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceBreakdownResponse": {
        "type": "object",
        "description": "A ranking.",
        "required": [
          "source",
          "dimension",
          "timeRange",
          "data"
        ],
        "properties": {
          "source": {
            "description": "The dataset that was read.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "api_traffic",
              "key_activity",
              null
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "dimension": {
            "description": "What calls were broken down by.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "endpoint",
              "method",
              "statusCode",
              "clientIp",
              "consumer",
              null
            ],
            "x-enumDescriptions": {
              "endpoint": "The endpoint that was called.",
              "method": "The HTTP method.",
              "statusCode": "The HTTP status.",
              "clientIp": "The caller's address.",
              "consumer": "The consumer that called, by its id, else by its name."
            }
          },
          "timeRange": {
            "description": "The window; null for exact times.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "data": {
            "description": "The values, most frequent first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/BreakdownEntry"
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceLogsDetailRequest": {
        "type": "object",
        "description": "Which request.",
        "required": [
          "requestId",
          "timestamp"
        ],
        "properties": {
          "requestId": {
            "description": "The request, from a row.",
            "type": "string",
            "minLength": 1
          },
          "timestamp": {
            "description": "The timestamp of the row, verbatim; Unix seconds or milliseconds do too.",
            "type": [
              "string",
              "number"
            ],
            "minLength": 1,
            "maxLength": 64
          },
          "source": {
            "description": "The dataset to look in; both when absent.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "api_traffic",
              "key_activity",
              null
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceLogsDetailResponse": {
        "type": "object",
        "description": "All that is recorded of a request.",
        "required": [
          "requestId",
          "keyLog",
          "apiLog"
        ],
        "properties": {
          "requestId": {
            "description": "The request.",
            "type": "string"
          },
          "keyLog": {
            "description": "Its validation; null: none is recorded.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/LogRow"
              },
              {
                "type": "null"
              }
            ]
          },
          "apiLog": {
            "description": "The call that was served; null: none is recorded.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/ApiLog"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceLogsExportRequest": {
        "type": "object",
        "description": "Which events to give.",
        "required": [
          "source"
        ],
        "properties": {
          "source": {
            "description": "The dataset to read.",
            "type": "string",
            "enum": [
              "api_traffic",
              "key_activity"
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window, up to now; 24h when neither this nor exact times are given, and never given beside them.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "startTime": {
            "description": "The first moment of an exact window; needs endTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "endTime": {
            "description": "The end of an exact window, not itself within it; needs startTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "apiId": {
            "description": "Calls of this API only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "filters": {
            "description": "What else to narrow by.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsFiltersInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "statusFilter": {
            "description": "all (the default), success or error.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "all",
              "success",
              "error",
              null
            ],
            "x-enumDescriptions": {
              "all": "Every event.",
              "success": "Status 200 to 399.",
              "error": "Status 400 and above."
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceLogsRequest": {
        "type": "object",
        "description": "Which events to list.",
        "required": [
          "source"
        ],
        "properties": {
          "source": {
            "description": "The dataset to read.",
            "type": "string",
            "enum": [
              "api_traffic",
              "key_activity"
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window, up to now; 24h when neither this nor exact times are given, and never given beside them.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "startTime": {
            "description": "The first moment of an exact window; needs endTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "endTime": {
            "description": "The end of an exact window, not itself within it; needs startTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "apiId": {
            "description": "Calls of this API only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "filters": {
            "description": "What else to narrow by.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsFiltersInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "pageSize": {
            "description": "Events on a page; 50 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          },
          "cursor": {
            "description": "Where to go on: the nextCursor of the page before, with the same query; absent: the first page.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 8192
          },
          "statusFilter": {
            "description": "all (the default), success or error.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "all",
              "success",
              "error",
              null
            ],
            "x-enumDescriptions": {
              "all": "Every event.",
              "success": "Status 200 to 399.",
              "error": "Status 400 and above."
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceLogsResponse": {
        "type": "object",
        "description": "A page of events.",
        "required": [
          "source",
          "timeRange",
          "total",
          "pageSize",
          "nextCursor",
          "rows"
        ],
        "properties": {
          "source": {
            "description": "The dataset that was read.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "api_traffic",
              "key_activity",
              null
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window; null for exact times.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "total": {
            "description": "Events on all pages, as counted for the first page.",
            "type": "integer",
            "format": "int64"
          },
          "pageSize": {
            "description": "Events on a page.",
            "type": "integer",
            "format": "int32"
          },
          "nextCursor": {
            "description": "What to send for the next page; null on the last one.",
            "type": [
              "string",
              "null"
            ]
          },
          "rows": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/LogRow"
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceLogsTailRequest": {
        "type": "object",
        "description": "Which events to follow.",
        "required": [
          "source"
        ],
        "properties": {
          "source": {
            "description": "The dataset to follow.",
            "type": "string",
            "enum": [
              "api_traffic",
              "key_activity"
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "apiId": {
            "description": "Calls of this API only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "filters": {
            "description": "What else to narrow by.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsFiltersInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "statusFilter": {
            "description": "all (the default), success or error.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "all",
              "success",
              "error",
              null
            ],
            "x-enumDescriptions": {
              "all": "Every event.",
              "success": "Status 200 to 399.",
              "error": "Status 400 and above."
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceStatsDetailsRequest": {
        "type": "object",
        "description": "Which figure to look behind.",
        "required": [
          "source",
          "card"
        ],
        "properties": {
          "source": {
            "description": "The dataset to read.",
            "type": "string",
            "enum": [
              "api_traffic",
              "key_activity"
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window, up to now; 24h when neither this nor exact times are given, and never given beside them.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "startTime": {
            "description": "The first moment of an exact window; needs endTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "endTime": {
            "description": "The end of an exact window, not itself within it; needs startTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "apiId": {
            "description": "Calls of this API only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "filters": {
            "description": "What else to narrow by.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsFiltersInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "card": {
            "description": "The figure.",
            "type": "string",
            "enum": [
              "totalRequests",
              "totalApiCalls",
              "errorRate",
              "latency"
            ],
            "x-enumDescriptions": {
              "totalRequests": "How many calls there were, by method and by class of status.",
              "totalApiCalls": "How many calls there were, by API.",
              "errorRate": "Which errors there were.",
              "latency": "How long answers took."
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceStatsDetailsResponse": {
        "type": "object",
        "description": "What is behind a figure.",
        "required": [
          "source",
          "card",
          "timeRange",
          "details"
        ],
        "properties": {
          "source": {
            "description": "The dataset that was read.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "api_traffic",
              "key_activity",
              null
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "card": {
            "description": "The figure.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "totalRequests",
              "totalApiCalls",
              "errorRate",
              "latency",
              null
            ],
            "x-enumDescriptions": {
              "totalRequests": "How many calls there were, by method and by class of status.",
              "totalApiCalls": "How many calls there were, by API.",
              "errorRate": "Which errors there were.",
              "latency": "How long answers took."
            }
          },
          "timeRange": {
            "description": "The window; null for exact times.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "details": {
            "description": "What is behind it.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsDetails"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceStatsRequest": {
        "type": "object",
        "description": "What to sum up.",
        "required": [
          "source"
        ],
        "properties": {
          "source": {
            "description": "The dataset to read.",
            "type": "string",
            "enum": [
              "api_traffic",
              "key_activity"
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window, up to now; 24h when neither this nor exact times are given, and never given beside them.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "startTime": {
            "description": "The first moment of an exact window; needs endTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "endTime": {
            "description": "The end of an exact window, not itself within it; needs startTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "apiId": {
            "description": "Calls of this API only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "filters": {
            "description": "What else to narrow by.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsFiltersInput"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceStatsResponse": {
        "type": "object",
        "description": "A window, summed up.",
        "required": [
          "source",
          "timeRange",
          "stats"
        ],
        "properties": {
          "source": {
            "description": "The dataset that was read.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "api_traffic",
              "key_activity",
              null
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window; null for exact times.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "stats": {
            "description": "The figures.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsStats"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceTimeseriesRequest": {
        "type": "object",
        "description": "What to show over time.",
        "required": [
          "source"
        ],
        "properties": {
          "source": {
            "description": "The dataset to read.",
            "type": "string",
            "enum": [
              "api_traffic",
              "key_activity"
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window, up to now; 24h when neither this nor exact times are given, and never given beside them.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "startTime": {
            "description": "The first moment of an exact window; needs endTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "endTime": {
            "description": "The end of an exact window, not itself within it; needs startTime.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "apiId": {
            "description": "Calls of this API only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "filters": {
            "description": "What else to narrow by.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/AnalyticsFiltersInput"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "AnalyticsServiceTimeseriesResponse": {
        "type": "object",
        "description": "A window over time.",
        "required": [
          "source",
          "timeRange",
          "granularity",
          "data"
        ],
        "properties": {
          "source": {
            "description": "The dataset that was read.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "api_traffic",
              "key_activity",
              null
            ],
            "x-enumDescriptions": {
              "api_traffic": "Calls that guarded applications served, one event each.",
              "key_activity": "Validations of keys, one event each, denials included."
            }
          },
          "timeRange": {
            "description": "The window; null for exact times.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "1h",
              "3h",
              "6h",
              "12h",
              "24h",
              "7d",
              "30d",
              null
            ],
            "x-enumDescriptions": {
              "1h": "The last hour; buckets of a minute.",
              "3h": "The last 3 hours; buckets of 5 minutes.",
              "6h": "The last 6 hours; buckets of 10 minutes.",
              "12h": "The last 12 hours; buckets of 15 minutes.",
              "24h": "The last 24 hours; buckets of 30 minutes.",
              "7d": "The last 7 days; buckets of 6 hours.",
              "30d": "The last 30 days; buckets of a day."
            }
          },
          "granularity": {
            "description": "The size of a bucket, a number and MINUTE, HOUR or DAY: 30 MINUTE.",
            "type": "string"
          },
          "data": {
            "description": "The buckets, oldest first, those without calls included.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/TimeseriesPoint"
            }
          }
        },
        "additionalProperties": false
      },
      "AnalyticsShare": {
        "type": "object",
        "description": "How many calls share a property.",
        "required": [
          "code",
          "count",
          "percentage"
        ],
        "properties": {
          "code": {
            "description": "The property, such as a status, a method, an API or a range of latency.",
            "type": "string"
          },
          "count": {
            "description": "Calls that have it.",
            "type": "integer",
            "format": "int64"
          },
          "percentage": {
            "description": "The same as a percentage with two decimals.",
            "type": "number"
          }
        },
        "additionalProperties": false
      },
      "AnalyticsStats": {
        "type": "object",
        "description": "The figures of a window.",
        "required": [
          "totalRequests",
          "errorRate",
          "avgLatencyMs"
        ],
        "properties": {
          "totalRequests": {
            "description": "Calls.",
            "type": "integer",
            "format": "int64"
          },
          "errorRate": {
            "description": "Errors among them, as a percentage with two decimals.",
            "type": "number"
          },
          "avgLatencyMs": {
            "description": "The mean time an answer took, in milliseconds.",
            "type": "number"
          }
        },
        "additionalProperties": false
      },
      "Api": {
        "type": "object",
        "description": "An API in a list.",
        "required": [
          "apiId",
          "name",
          "createdAt",
          "updatedAt",
          "keyCount"
        ],
        "properties": {
          "apiId": {
            "description": "The API.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "keyCount": {
            "description": "Keys that may call it, those that may call every API included.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "ApiLog": {
        "type": "object",
        "description": "A call that was served, with what was captured of it. Text that is not known is empty.",
        "required": [
          "requestId",
          "timestamp",
          "method",
          "endpoint",
          "statusCode",
          "latencyMs",
          "consumerId",
          "region",
          "requestBody",
          "responseBody",
          "requestHeaders",
          "responseHeaders",
          "userAgent"
        ],
        "properties": {
          "requestId": {
            "description": "The request.",
            "type": "string"
          },
          "timestamp": {
            "description": "When it was, as YYYY-MM-DD HH:MM:SS in UTC.",
            "type": "string"
          },
          "method": {
            "description": "The HTTP method.",
            "type": "string"
          },
          "endpoint": {
            "description": "The endpoint that was called.",
            "type": "string"
          },
          "statusCode": {
            "description": "The HTTP status that was answered.",
            "type": "integer",
            "format": "int32"
          },
          "latencyMs": {
            "description": "How long the answer took, in milliseconds.",
            "type": "number"
          },
          "consumerId": {
            "description": "The consumer that called.",
            "type": "string"
          },
          "region": {
            "description": "The caller's region.",
            "type": "string"
          },
          "requestBody": {
            "description": "The first 2 kB of the request's body.",
            "type": "string"
          },
          "responseBody": {
            "description": "The first 2 kB of the response's body.",
            "type": "string"
          },
          "requestHeaders": {
            "description": "The headers of the request, as JSON text.",
            "type": "string"
          },
          "responseHeaders": {
            "description": "The headers of the response, as JSON text.",
            "type": "string"
          },
          "userAgent": {
            "description": "The caller's user agent.",
            "type": "string"
          }
        },
        "additionalProperties": false
      },
      "ApiServiceCreateRequest": {
        "type": "object",
        "description": "A new API.",
        "required": [
          "name"
        ],
        "properties": {
          "name": {
            "description": "The API's name.",
            "type": "string",
            "minLength": 1,
            "maxLength": 16384
          }
        },
        "additionalProperties": false
      },
      "ApiServiceCreateResponse": {
        "type": "object",
        "description": "The API that was made.",
        "required": [
          "apiId",
          "name",
          "createdAt",
          "updatedAt",
          "keyCount"
        ],
        "properties": {
          "apiId": {
            "description": "The API.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "keyCount": {
            "description": "Keys that may call it, those that may call every API included.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "ApiServiceDeleteRequest": {
        "type": "object",
        "description": "Which API.",
        "required": [
          "apiId"
        ],
        "properties": {
          "apiId": {
            "description": "The API.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "ApiServiceDeleteResponse": {
        "type": "object",
        "description": "The API that was deleted.",
        "required": [
          "apiId",
          "deleted"
        ],
        "properties": {
          "apiId": {
            "description": "The API.",
            "type": "string"
          },
          "deleted": {
            "description": "Whether it is deleted.",
            "type": "boolean"
          }
        },
        "additionalProperties": false
      },
      "ApiServiceDetailsRequest": {
        "type": "object",
        "description": "Which API.",
        "required": [
          "apiId"
        ],
        "properties": {
          "apiId": {
            "description": "The API.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "ApiServiceDetailsResponse": {
        "type": "object",
        "description": "An API.",
        "required": [
          "apiId",
          "name",
          "createdAt",
          "updatedAt",
          "keyCount"
        ],
        "properties": {
          "apiId": {
            "description": "The API.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "keyCount": {
            "description": "Keys that may call it, those that may call every API included.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "ApiServiceListRequest": {
        "type": "object",
        "description": "Which APIs.",
        "properties": {
          "page": {
            "description": "The page, counted from 1.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1
          },
          "limit": {
            "description": "APIs on a page; 25 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          }
        },
        "additionalProperties": false
      },
      "ApiServiceListResponse": {
        "type": "object",
        "description": "A page of APIs.",
        "required": [
          "total",
          "page",
          "limit",
          "apis"
        ],
        "properties": {
          "total": {
            "description": "APIs in the project.",
            "type": "integer",
            "format": "int64"
          },
          "page": {
            "description": "The page, counted from 1.",
            "type": "integer",
            "format": "int32"
          },
          "limit": {
            "description": "APIs on a page.",
            "type": "integer",
            "format": "int32"
          },
          "apis": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Api"
            }
          }
        },
        "additionalProperties": false
      },
      "ApiServiceUpdateRequest": {
        "type": "object",
        "description": "A change of an API. The mask lists what changes; without a mask, every field that is set.",
        "required": [
          "apiId"
        ],
        "properties": {
          "apiId": {
            "description": "The API.",
            "type": "string",
            "minLength": 1
          },
          "name": {
            "description": "The API's name, which cannot be cleared.",
            "type": "string",
            "minLength": 1,
            "maxLength": 16384
          }
        },
        "additionalProperties": false
      },
      "ApiServiceUpdateResponse": {
        "type": "object",
        "description": "The API after the change.",
        "required": [
          "apiId",
          "name",
          "createdAt",
          "updatedAt",
          "keyCount"
        ],
        "properties": {
          "apiId": {
            "description": "The API.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "keyCount": {
            "description": "Keys that may call it, those that may call every API included.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "AuditEntry": {
        "type": "object",
        "description": "A change.",
        "required": [
          "at",
          "credentialId",
          "action",
          "targetId",
          "before",
          "after"
        ],
        "properties": {
          "at": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "credentialId": {
            "description": "The credential that made it; null: the operator or the service itself.",
            "type": [
              "string",
              "null"
            ]
          },
          "action": {
            "description": "What was done, such as consumer.update.",
            "type": "string"
          },
          "targetId": {
            "description": "What was changed.",
            "type": "string"
          },
          "before": {
            "description": "The changed fields as they were; empty when the target was made.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "after": {
            "description": "The changed fields as they are; empty when the target was deleted.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          }
        },
        "additionalProperties": false
      },
      "AuditServiceListRequest": {
        "type": "object",
        "description": "Which changes.",
        "properties": {
          "targetId": {
            "description": "Changes of this consumer, key, plan, API, project or credential only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "cursor": {
            "description": "Where to go on: the nextCursor of the page before; absent: the first page.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 8192
          },
          "pageSize": {
            "description": "The most changes on a page; 50 when absent. Where changes are large, a page has fewer.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          }
        },
        "additionalProperties": false
      },
      "AuditServiceListResponse": {
        "type": "object",
        "description": "A page of changes.",
        "required": [
          "entries",
          "nextCursor"
        ],
        "properties": {
          "entries": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AuditEntry"
            }
          },
          "nextCursor": {
            "description": "What to send for the next page; null on the last one.",
            "type": [
              "string",
              "null"
            ]
          }
        },
        "additionalProperties": false
      },
      "BreakdownEntry": {
        "type": "object",
        "description": "A value in a ranking.",
        "required": [
          "value",
          "count",
          "percentage"
        ],
        "properties": {
          "value": {
            "description": "The value, always as text.",
            "type": "string"
          },
          "count": {
            "description": "Calls that have it.",
            "type": "integer",
            "format": "int64"
          },
          "percentage": {
            "description": "The same as a percentage of all calls, with two decimals.",
            "type": "number"
          }
        },
        "additionalProperties": false
      },
      "Carryover": {
        "type": "object",
        "description": "Unused credits that roll over into the next interval.",
        "required": [
          "enabled",
          "max"
        ],
        "properties": {
          "enabled": {
            "description": "Whether credits roll over.",
            "type": [
              "boolean",
              "null"
            ]
          },
          "max": {
            "description": "The most that rolls over; needed when enabled.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          }
        },
        "additionalProperties": false
      },
      "CarryoverInput": {
        "type": "object",
        "description": "Unused credits that roll over into the next interval.",
        "required": [
          "enabled"
        ],
        "properties": {
          "enabled": {
            "description": "Whether credits roll over.",
            "type": "boolean"
          },
          "max": {
            "description": "The most that rolls over; needed when enabled.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          }
        },
        "additionalProperties": false
      },
      "ConsumerKey": {
        "type": "object",
        "description": "A key of a consumer.",
        "required": [
          "keyId",
          "key",
          "status",
          "createdAt",
          "allowedApis"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string"
          },
          "key": {
            "description": "Its value, masked where it is not recoverable.",
            "type": "string"
          },
          "status": {
            "description": "Its status, such as active.",
            "type": "string"
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "allowedApis": {
            "description": "The APIs that it may call; * is every API of the project.",
            "type": "array",
            "items": {
              "type": "string"
            }
          }
        },
        "additionalProperties": false
      },
      "ConsumerKeysCredits": {
        "type": "object",
        "description": "A pool beside the keys that share it.",
        "required": [
          "limit",
          "remaining",
          "used"
        ],
        "properties": {
          "limit": {
            "description": "The size of the pool now.",
            "type": "integer",
            "format": "int64"
          },
          "remaining": {
            "description": "Credits left, never below 0.",
            "type": "integer",
            "format": "int64"
          },
          "used": {
            "description": "Credits used, overage included.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "ConsumerListCredits": {
        "type": "object",
        "description": "A pool in a list.",
        "required": [
          "limit",
          "used",
          "remaining"
        ],
        "properties": {
          "limit": {
            "description": "The size of the pool now.",
            "type": "integer",
            "format": "int64"
          },
          "used": {
            "description": "Credits used, overage included.",
            "type": "integer",
            "format": "int64"
          },
          "remaining": {
            "description": "Credits left, never below 0.",
            "type": "integer",
            "format": "int64"
          },
          "refill": {
            "description": "The schedule; absent when no refill is scheduled.",
            "$ref": "#/components/schemas/ConsumerListRefill"
          }
        },
        "additionalProperties": false
      },
      "ConsumerListItem": {
        "type": "object",
        "description": "A consumer in a list.",
        "required": [
          "consumerId",
          "name",
          "imageUrl",
          "planId",
          "createdAt",
          "status",
          "apiKeyCount",
          "credits"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "imageUrl": {
            "description": "The address of a picture.",
            "type": [
              "string",
              "null"
            ]
          },
          "planId": {
            "description": "The plan that it holds.",
            "type": [
              "string",
              "null"
            ]
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "status": {
            "description": "Its status.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "active",
              "disabled",
              "deleted",
              null
            ],
            "x-enumDescriptions": {
              "active": "Keys validate.",
              "disabled": "No key validates.",
              "deleted": "Deleted, and recoverable for 7 days."
            }
          },
          "apiKeyCount": {
            "description": "Keys that it owns.",
            "type": "integer",
            "format": "int32"
          },
          "credits": {
            "description": "Its pool; null: unlimited.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/ConsumerListCredits"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "ConsumerListRefill": {
        "type": "object",
        "description": "A refill schedule in a list.",
        "required": [
          "nextRefillAt"
        ],
        "properties": {
          "nextRefillAt": {
            "description": "The next refill, in epoch milliseconds.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceCreateRequest": {
        "type": "object",
        "description": "A new consumer; every field may be left out.",
        "properties": {
          "name": {
            "description": "The consumer's name.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 16384
          },
          "credits": {
            "description": "The credit pool; it takes precedence over the plan's.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CreditsSettingsInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "planId": {
            "description": "The plan that the consumer holds.",
            "type": [
              "string",
              "null"
            ],
            "minLength": 1
          },
          "rateLimit": {
            "description": "The rate limit; it takes precedence over the plan's.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimitInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "tags": {
            "description": "Labels.",
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "maxLength": 256
            },
            "maxItems": 1000
          },
          "webhookUrl": {
            "description": "The address that is told of events.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 2048
          },
          "metadata": {
            "description": "Data of the caller's own, at most 64 kB and 32 levels.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "imageUrl": {
            "description": "The address of a picture.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 8192
          },
          "externalId": {
            "description": "The caller's own identifier of the consumer.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 1024
          },
          "status": {
            "description": "active (the default) or disabled.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "active",
              "disabled",
              null
            ],
            "x-enumDescriptions": {
              "active": "Keys validate.",
              "disabled": "No key validates."
            }
          },
          "expiresAt": {
            "description": "When the consumer's keys stop validating.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceCreateResponse": {
        "type": "object",
        "description": "The consumer that was made.",
        "required": [
          "consumerId",
          "projectKey",
          "createdAt",
          "status",
          "name",
          "tags",
          "externalId"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string"
          },
          "projectKey": {
            "description": "The project credential of the caller.",
            "type": "string"
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "status": {
            "description": "Its status.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "active",
              "disabled",
              "deleted",
              null
            ],
            "x-enumDescriptions": {
              "active": "Keys validate.",
              "disabled": "No key validates.",
              "deleted": "Deleted, and recoverable for 7 days."
            }
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "tags": {
            "description": "Its labels.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "externalId": {
            "description": "The caller's own identifier.",
            "type": [
              "string",
              "null"
            ]
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceDeleteRequest": {
        "type": "object",
        "description": "Which consumer, and how.",
        "required": [
          "consumerId"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string",
            "minLength": 1
          },
          "permanent": {
            "description": "Delete for good; the default can be restored for 7 days.",
            "type": [
              "boolean",
              "null"
            ]
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceDeleteResponse": {
        "type": "object",
        "description": "What was deleted.",
        "required": [
          "consumerId",
          "deleted",
          "permanent",
          "deletedAt",
          "keysAffected",
          "message"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string"
          },
          "deleted": {
            "description": "Whether it is deleted.",
            "type": "boolean"
          },
          "permanent": {
            "description": "Whether it is deleted for good.",
            "type": "boolean"
          },
          "deletedAt": {
            "description": "When it was deleted.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "keysAffected": {
            "description": "Keys that went with it.",
            "type": "integer",
            "format": "int32"
          },
          "message": {
            "description": "What happened, for people.",
            "type": "string"
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceDetailsRequest": {
        "type": "object",
        "description": "Which consumer.",
        "required": [
          "consumerId"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceDetailsResponse": {
        "type": "object",
        "description": "A consumer.",
        "required": [
          "consumerId",
          "projectKey",
          "name",
          "imageUrl",
          "externalId",
          "metadata",
          "webhookUrl",
          "status",
          "planId",
          "tags",
          "createdAt",
          "expiresAt",
          "updatedAt",
          "rateLimit",
          "credits"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string"
          },
          "projectKey": {
            "description": "The project credential of the caller.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "imageUrl": {
            "description": "The address of a picture.",
            "type": [
              "string",
              "null"
            ]
          },
          "externalId": {
            "description": "The caller's own identifier.",
            "type": [
              "string",
              "null"
            ]
          },
          "metadata": {
            "description": "Data of the caller's own.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "webhookUrl": {
            "description": "The address that is told of events.",
            "type": [
              "string",
              "null"
            ]
          },
          "status": {
            "description": "Its status.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "active",
              "disabled",
              "deleted",
              null
            ],
            "x-enumDescriptions": {
              "active": "Keys validate.",
              "disabled": "No key validates.",
              "deleted": "Deleted, and recoverable for 7 days."
            }
          },
          "planId": {
            "description": "The plan that it holds.",
            "type": [
              "string",
              "null"
            ]
          },
          "tags": {
            "description": "Its labels.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "expiresAt": {
            "description": "When its keys stop validating; null: never.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "rateLimit": {
            "description": "Its rate limit; null: none.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimit"
              },
              {
                "type": "null"
              }
            ]
          },
          "credits": {
            "description": "Its pool; null: unlimited.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Credits"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceKeysRequest": {
        "type": "object",
        "description": "Which consumer.",
        "required": [
          "consumerId"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceKeysResponse": {
        "type": "object",
        "description": "The keys of a consumer.",
        "required": [
          "consumerId",
          "credits",
          "total",
          "keys"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string"
          },
          "credits": {
            "description": "The pool that all keys share; null: unlimited.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/ConsumerKeysCredits"
              },
              {
                "type": "null"
              }
            ]
          },
          "total": {
            "description": "How many keys there are.",
            "type": "integer",
            "format": "int32"
          },
          "keys": {
            "description": "The keys.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ConsumerKey"
            }
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceListRequest": {
        "type": "object",
        "description": "Which consumers, in which order.",
        "properties": {
          "page": {
            "description": "The page, counted from 1. There is none too far: one past the end is empty.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 1,
            "maximum": 9007199254740991
          },
          "limit": {
            "description": "Consumers on a page; 25 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          },
          "search": {
            "description": "Part of the name or the id, in any case.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 16384
          },
          "planId": {
            "description": "Holders of this plan only.",
            "type": [
              "string",
              "null"
            ]
          },
          "status": {
            "description": "Consumers of this status only.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "active",
              "disabled",
              "deleted",
              null
            ],
            "x-enumDescriptions": {
              "active": "Keys validate.",
              "disabled": "No key validates.",
              "deleted": "Deleted, and recoverable for 7 days."
            }
          },
          "sortBy": {
            "description": "What to sort by.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "createdAt",
              "name",
              "status",
              "creditsUsed",
              "creditsRemaining",
              null
            ],
            "x-enumDescriptions": {
              "createdAt": "The time of creation.",
              "name": "The name.",
              "status": "The status.",
              "creditsUsed": "Credits used; unlimited consumers count as 0.",
              "creditsRemaining": "Credits left; unlimited consumers count as infinite."
            }
          },
          "sortOrder": {
            "description": "The direction.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "asc",
              "desc",
              null
            ],
            "x-enumDescriptions": {
              "asc": "Smallest first.",
              "desc": "Largest first."
            }
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceListResponse": {
        "type": "object",
        "description": "A page of consumers.",
        "required": [
          "total",
          "filtered",
          "page",
          "limit",
          "totalPages",
          "sortBy",
          "sortOrder",
          "consumers"
        ],
        "properties": {
          "total": {
            "description": "Consumers in the project.",
            "type": "integer",
            "format": "int64"
          },
          "filtered": {
            "description": "Consumers after the filters.",
            "type": "integer",
            "format": "int64"
          },
          "page": {
            "description": "The page, counted from 1.",
            "type": "integer",
            "format": "int64"
          },
          "limit": {
            "description": "Consumers on a page.",
            "type": "integer",
            "format": "int32"
          },
          "totalPages": {
            "description": "Pages after the filters.",
            "type": "integer",
            "format": "int64"
          },
          "sortBy": {
            "description": "What was sorted by.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "createdAt",
              "name",
              "status",
              "creditsUsed",
              "creditsRemaining",
              null
            ],
            "x-enumDescriptions": {
              "createdAt": "The time of creation.",
              "name": "The name.",
              "status": "The status.",
              "creditsUsed": "Credits used; unlimited consumers count as 0.",
              "creditsRemaining": "Credits left; unlimited consumers count as infinite."
            }
          },
          "sortOrder": {
            "description": "The direction.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "asc",
              "desc",
              null
            ],
            "x-enumDescriptions": {
              "asc": "Smallest first.",
              "desc": "Largest first."
            }
          },
          "consumers": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ConsumerListItem"
            }
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceUpdateRequest": {
        "type": "object",
        "description": "A change of a consumer. The mask lists what changes; without a mask, every field that is set.",
        "required": [
          "consumerId"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string",
            "minLength": 1
          },
          "name": {
            "description": "The consumer's name.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 16384
          },
          "status": {
            "description": "active or disabled; active restores a deleted consumer.",
            "type": "string",
            "enum": [
              "active",
              "disabled"
            ],
            "x-enumDescriptions": {
              "active": "Keys validate.",
              "disabled": "No key validates."
            }
          },
          "planId": {
            "description": "The plan; null detaches it and keeps what was copied.",
            "type": [
              "string",
              "null"
            ],
            "minLength": 1
          },
          "webhookUrl": {
            "description": "The address that is told of events.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 2048
          },
          "imageUrl": {
            "description": "The address of a picture.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 8192
          },
          "externalId": {
            "description": "The caller's own identifier of the consumer.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 1024
          },
          "tags": {
            "description": "Labels, replaced as a whole.",
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "maxLength": 256
            },
            "maxItems": 1000
          },
          "metadata": {
            "description": "Data of the caller's own, replaced as a whole.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "expiresAt": {
            "description": "When the consumer's keys stop validating.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "credits": {
            "description": "The pool, merged field by field; null makes the consumer unlimited.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CreditsUpdateInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "rateLimit": {
            "description": "The rate limit, replaced as a whole; null removes it.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimitInput"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "ConsumerServiceUpdateResponse": {
        "type": "object",
        "description": "The consumer after the change.",
        "required": [
          "consumerId",
          "name",
          "status",
          "credits",
          "keysRestored"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "status": {
            "description": "Its status.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "active",
              "disabled",
              "deleted",
              null
            ],
            "x-enumDescriptions": {
              "active": "Keys validate.",
              "disabled": "No key validates.",
              "deleted": "Deleted, and recoverable for 7 days."
            }
          },
          "credits": {
            "description": "Its pool; null: unlimited.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Credits"
              },
              {
                "type": "null"
              }
            ]
          },
          "keysRestored": {
            "description": "Keys that came back with a deleted consumer.",
            "type": "integer",
            "format": "int32"
          }
        },
        "additionalProperties": false
      },
      "Credential": {
        "type": "object",
        "description": "A credential, without its value.",
        "required": [
          "credentialId",
          "name",
          "scopes",
          "createdAt",
          "lastSix",
          "previousValidUntil"
        ],
        "properties": {
          "credentialId": {
            "description": "The credential.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "scopes": {
            "description": "What it may do.",
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "manage",
                "read",
                "validate",
                "ingest",
                "operator"
              ],
              "x-enumDescriptions": {
                "manage": "Everything in the project.",
                "read": "Read what shows no key in clear, and the analytics.",
                "validate": "Validate keys.",
                "ingest": "Send traffic events.",
                "operator": "The operator's own credential: make, list and delete projects. No project credential has it."
              }
            }
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "lastSix": {
            "description": "The last six characters of its value.",
            "type": "string"
          },
          "previousValidUntil": {
            "description": "When the value that was rotated away stops working; null: there is none.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "Credits": {
        "type": "object",
        "description": "A pool as it stands, refills that are due included.",
        "required": [
          "limit",
          "used",
          "remaining",
          "overageUsed",
          "shadowLimit",
          "overage",
          "refill",
          "expiresAt"
        ],
        "properties": {
          "limit": {
            "description": "The size of the pool now.",
            "type": "integer",
            "format": "int64"
          },
          "used": {
            "description": "Credits used, overage included.",
            "type": "integer",
            "format": "int64"
          },
          "remaining": {
            "description": "Credits left in the pool, never below 0.",
            "type": "integer",
            "format": "int64"
          },
          "overageUsed": {
            "description": "Credits used beyond the pool.",
            "type": "integer",
            "format": "int64"
          },
          "shadowLimit": {
            "description": "Credits used at which a warning is due.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64"
          },
          "overage": {
            "description": "Credits beyond the pool.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Overage"
              },
              {
                "type": "null"
              }
            ]
          },
          "refill": {
            "description": "The refill schedule; null: none.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Refill"
              },
              {
                "type": "null"
              }
            ]
          },
          "expiresAt": {
            "description": "When the credits expire, in epoch milliseconds; null: never.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "CreditsSettings": {
        "type": "object",
        "description": "The credits of a new consumer or of a plan.",
        "required": [
          "limit",
          "shadowLimit",
          "overage",
          "refill",
          "carryover",
          "expiresAt"
        ],
        "properties": {
          "limit": {
            "description": "The size of the pool. The sum of limit and overage.limit stays below 2^53.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "shadowLimit": {
            "description": "Credits used at which a warning is due, before the hard limit.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "overage": {
            "description": "Credits beyond the pool.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Overage"
              },
              {
                "type": "null"
              }
            ]
          },
          "refill": {
            "description": "The refill schedule; unset: the pool is not refilled.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RefillSettings"
              },
              {
                "type": "null"
              }
            ]
          },
          "carryover": {
            "description": "The same as refill.carryover, which wins where both are given.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Carryover"
              },
              {
                "type": "null"
              }
            ]
          },
          "expiresAt": {
            "description": "When the credits expire, in epoch milliseconds; unset: never.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 8640000000000000
          }
        },
        "additionalProperties": false
      },
      "CreditsSettingsInput": {
        "type": "object",
        "description": "The credits of a new consumer or of a plan.",
        "required": [
          "limit"
        ],
        "properties": {
          "limit": {
            "description": "The size of the pool. The sum of limit and overage.limit stays below 2^53.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "shadowLimit": {
            "description": "Credits used at which a warning is due, before the hard limit.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "overage": {
            "description": "Credits beyond the pool.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/OverageInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "refill": {
            "description": "The refill schedule; unset: the pool is not refilled.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RefillSettingsInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "carryover": {
            "description": "The same as refill.carryover, which wins where both are given.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CarryoverInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "expiresAt": {
            "description": "When the credits expire, in epoch milliseconds; unset: never.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 8640000000000000
          }
        },
        "additionalProperties": false
      },
      "CreditsUpdateInput": {
        "type": "object",
        "description": "A change of credits; fields that are absent stay as they are.",
        "properties": {
          "limit": {
            "description": "The size of the pool. Required when the consumer had no credits.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "used": {
            "description": "Credits used so far.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "shadowLimit": {
            "description": "Credits used at which a warning is due; null turns it off.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "overage": {
            "description": "Credits beyond the pool; null turns them off.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/OverageInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "refill": {
            "description": "The refill schedule; null turns it off.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RefillSettingsInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "carryover": {
            "description": "The same as refill.carryover, which wins where both are given.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CarryoverInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "expiresAt": {
            "description": "When the credits expire, in epoch milliseconds; null: never.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 8640000000000000
          }
        },
        "additionalProperties": false
      },
      "ErrorRateDetails": {
        "type": "object",
        "description": "Which errors there were.",
        "required": [
          "errorBreakdown"
        ],
        "properties": {
          "errorBreakdown": {
            "description": "The HTTP statuses of errors, most frequent first; percentages are of the errors.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AnalyticsShare"
            }
          }
        },
        "additionalProperties": false
      },
      "ImportedKeyInput": {
        "type": "object",
        "description": "A key of another service.",
        "properties": {
          "sha256": {
            "description": "The SHA-256 hash of its value, in hexadecimal; no other key of the project may have it.",
            "type": [
              "string",
              "null"
            ],
            "pattern": "^[0-9a-fA-F]{64}$"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 16384
          },
          "allowedApis": {
            "description": "The APIs that it may call; empty or * is every API of the project.",
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "minLength": 1,
              "maxLength": 128
            },
            "maxItems": 1000
          },
          "expiresAt": {
            "description": "When it stops validating.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          }
        },
        "additionalProperties": false
      },
      "ImportedKeyResult": {
        "type": "object",
        "description": "A key that was taken over.",
        "required": [
          "keyId",
          "name"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          }
        },
        "additionalProperties": false
      },
      "IngestServiceIngestRequest": {
        "type": "object",
        "description": "Calls to record.",
        "properties": {
          "events": {
            "description": "The calls.",
            "type": [
              "array",
              "null"
            ],
            "items": {
              "$ref": "#/components/schemas/TrafficEventInput"
            },
            "maxItems": 1000
          }
        },
        "additionalProperties": false
      },
      "IngestServiceIngestResponse": {
        "type": "object",
        "description": "What became of the events; the three parts add up to all of them.",
        "required": [
          "accepted",
          "duplicates",
          "rejected"
        ],
        "properties": {
          "accepted": {
            "description": "Events that were recorded now.",
            "type": "integer",
            "format": "int32"
          },
          "duplicates": {
            "description": "Events that had been recorded before.",
            "type": "integer",
            "format": "int32"
          },
          "rejected": {
            "description": "Events that were refused, in order.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/RejectedEvent"
            }
          }
        },
        "additionalProperties": false
      },
      "Key": {
        "type": "object",
        "description": "A key, its value masked.",
        "required": [
          "keyId",
          "key",
          "consumerId",
          "name",
          "status",
          "allowedApis",
          "prefix",
          "expiresAt",
          "metadata",
          "createdAt",
          "updatedAt",
          "previousValidUntil"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string"
          },
          "key": {
            "description": "Its value, of which only the end is shown.",
            "type": "string"
          },
          "consumerId": {
            "description": "The consumer that owns it.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "status": {
            "description": "active or disabled; deleted while its consumer is.",
            "type": "string"
          },
          "allowedApis": {
            "description": "The APIs that it may call; * is every API of the project.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "prefix": {
            "description": "What the value begins with; null for an imported key that was never rotated.",
            "type": [
              "string",
              "null"
            ]
          },
          "expiresAt": {
            "description": "When it stops validating; null: never.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "metadata": {
            "description": "Data of the caller's own.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "previousValidUntil": {
            "description": "When the last of the values that were rotated away stops validating; null: none validates.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "KeyServiceCreateRequest": {
        "type": "object",
        "description": "A new key.",
        "required": [
          "consumerId"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer that owns the key.",
            "type": "string",
            "minLength": 1
          },
          "name": {
            "description": "The key's name.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 16384
          },
          "allowedApis": {
            "description": "The APIs that it may call; empty or * is every API of the project.",
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "minLength": 1,
              "maxLength": 128
            },
            "maxItems": 1000
          },
          "prefix": {
            "description": "What the value begins with; sk when absent.",
            "type": [
              "string",
              "null"
            ],
            "minLength": 1,
            "maxLength": 32,
            "pattern": "^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$"
          },
          "expiresAt": {
            "description": "When the key stops validating.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "metadata": {
            "description": "Data of the caller's own, at most 64 kB and 32 levels.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "enabled": {
            "description": "Whether the key validates; true when absent.",
            "type": [
              "boolean",
              "null"
            ]
          }
        },
        "additionalProperties": false
      },
      "KeyServiceCreateResponse": {
        "type": "object",
        "description": "The key that was made.",
        "required": [
          "keyId",
          "key",
          "consumerId",
          "name",
          "status",
          "allowedApis",
          "prefix",
          "expiresAt",
          "metadata",
          "createdAt"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string"
          },
          "key": {
            "description": "Its value.",
            "type": "string"
          },
          "consumerId": {
            "description": "The consumer that owns it.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "status": {
            "description": "active or disabled.",
            "type": "string"
          },
          "allowedApis": {
            "description": "The APIs that it may call; * is every API of the project.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "prefix": {
            "description": "What the value begins with.",
            "type": [
              "string",
              "null"
            ]
          },
          "expiresAt": {
            "description": "When it stops validating; null: never.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "metadata": {
            "description": "Data of the caller's own.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "KeyServiceDeleteRequest": {
        "type": "object",
        "description": "Which key.",
        "required": [
          "keyId"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "KeyServiceDeleteResponse": {
        "type": "object",
        "description": "The key that was deleted.",
        "required": [
          "keyId",
          "deleted"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string"
          },
          "deleted": {
            "description": "Whether it is deleted.",
            "type": "boolean"
          }
        },
        "additionalProperties": false
      },
      "KeyServiceDetailsRequest": {
        "type": "object",
        "description": "Which key.",
        "required": [
          "keyId"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "KeyServiceDetailsResponse": {
        "type": "object",
        "description": "A key.",
        "required": [
          "keyId",
          "key",
          "consumerId",
          "name",
          "status",
          "allowedApis",
          "prefix",
          "expiresAt",
          "metadata",
          "createdAt",
          "updatedAt",
          "previousValidUntil"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string"
          },
          "key": {
            "description": "Its value, of which only the end is shown.",
            "type": "string"
          },
          "consumerId": {
            "description": "The consumer that owns it.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "status": {
            "description": "active or disabled; deleted while its consumer is.",
            "type": "string"
          },
          "allowedApis": {
            "description": "The APIs that it may call; * is every API of the project.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "prefix": {
            "description": "What the value begins with; null for an imported key that was never rotated.",
            "type": [
              "string",
              "null"
            ]
          },
          "expiresAt": {
            "description": "When it stops validating; null: never.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "metadata": {
            "description": "Data of the caller's own.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "previousValidUntil": {
            "description": "When the last of the values that were rotated away stops validating; null: none validates.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "KeyServiceImportRequest": {
        "type": "object",
        "description": "Keys of another service.",
        "required": [
          "consumerId",
          "keys"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer that will own them.",
            "type": "string",
            "minLength": 1
          },
          "keys": {
            "description": "The keys.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ImportedKeyInput"
            },
            "minItems": 1,
            "maxItems": 1000
          }
        },
        "additionalProperties": false
      },
      "KeyServiceImportResponse": {
        "type": "object",
        "description": "The keys that were taken over, in order.",
        "required": [
          "keys"
        ],
        "properties": {
          "keys": {
            "description": "The keys.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ImportedKeyResult"
            }
          }
        },
        "additionalProperties": false
      },
      "KeyServiceListRequest": {
        "type": "object",
        "description": "Which keys.",
        "properties": {
          "consumerId": {
            "description": "Keys of this consumer only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "page": {
            "description": "The page, counted from 1.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1
          },
          "limit": {
            "description": "Keys on a page; 25 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          }
        },
        "additionalProperties": false
      },
      "KeyServiceListResponse": {
        "type": "object",
        "description": "A page of keys.",
        "required": [
          "total",
          "page",
          "limit",
          "keys"
        ],
        "properties": {
          "total": {
            "description": "Keys that match.",
            "type": "integer",
            "format": "int64"
          },
          "page": {
            "description": "The page, counted from 1.",
            "type": "integer",
            "format": "int32"
          },
          "limit": {
            "description": "Keys on a page.",
            "type": "integer",
            "format": "int32"
          },
          "keys": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Key"
            }
          }
        },
        "additionalProperties": false
      },
      "KeyServiceRotateRequest": {
        "type": "object",
        "description": "Which key, and for how long its old value goes on.",
        "required": [
          "keyId"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string",
            "minLength": 1
          },
          "graceSeconds": {
            "description": "Seconds for which the old value still validates; 0 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 31536000
          }
        },
        "additionalProperties": false
      },
      "KeyServiceRotateResponse": {
        "type": "object",
        "description": "The key with its new value.",
        "required": [
          "keyId",
          "key",
          "consumerId",
          "previousValidUntil"
        ],
        "properties": {
          "keyId": {
            "description": "The key, as before.",
            "type": "string"
          },
          "key": {
            "description": "Its new value.",
            "type": "string"
          },
          "consumerId": {
            "description": "The consumer that owns it.",
            "type": "string"
          },
          "previousValidUntil": {
            "description": "When the old value stops validating; null: it has.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "KeyServiceUpdateRequest": {
        "type": "object",
        "description": "A change of a key. The mask lists what changes; without a mask, every field that is set.",
        "required": [
          "keyId"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string",
            "minLength": 1
          },
          "name": {
            "description": "The key's name.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 16384
          },
          "allowedApis": {
            "description": "The APIs that it may call, replaced as a whole; cleared, or empty, is every API of the project.",
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "minLength": 1,
              "maxLength": 128
            },
            "maxItems": 1000
          },
          "expiresAt": {
            "description": "When the key stops validating; cleared: never.",
            "type": [
              "string",
              "null"
            ],
            "format": "iso-8601"
          },
          "metadata": {
            "description": "Data of the caller's own, replaced as a whole.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "enabled": {
            "description": "Whether the key validates; cleared: true.",
            "type": [
              "boolean",
              "null"
            ]
          }
        },
        "additionalProperties": false
      },
      "KeyServiceUpdateResponse": {
        "type": "object",
        "description": "The key after the change.",
        "required": [
          "keyId",
          "key",
          "consumerId",
          "name",
          "status",
          "allowedApis",
          "prefix",
          "expiresAt",
          "metadata",
          "createdAt",
          "updatedAt",
          "previousValidUntil"
        ],
        "properties": {
          "keyId": {
            "description": "The key.",
            "type": "string"
          },
          "key": {
            "description": "Its value, of which only the end is shown.",
            "type": "string"
          },
          "consumerId": {
            "description": "The consumer that owns it.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "status": {
            "description": "active or disabled; deleted while its consumer is.",
            "type": "string"
          },
          "allowedApis": {
            "description": "The APIs that it may call; * is every API of the project.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "prefix": {
            "description": "What the value begins with; null for an imported key that was never rotated.",
            "type": [
              "string",
              "null"
            ]
          },
          "expiresAt": {
            "description": "When it stops validating; null: never.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "metadata": {
            "description": "Data of the caller's own.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "previousValidUntil": {
            "description": "When the last of the values that were rotated away stops validating; null: none validates.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "KeyServiceValidateBatchRequest": {
        "type": "object",
        "description": "Keys to judge.",
        "required": [
          "requests"
        ],
        "properties": {
          "requests": {
            "description": "The validations.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/KeyServiceValidateRequest"
            },
            "minItems": 1,
            "maxItems": 100
          }
        },
        "additionalProperties": false
      },
      "KeyServiceValidateBatchResponse": {
        "type": "object",
        "description": "The verdicts.",
        "required": [
          "results"
        ],
        "properties": {
          "results": {
            "description": "The verdicts, in the order of the requests.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/KeyServiceValidateResponse"
            }
          }
        },
        "additionalProperties": false
      },
      "KeyServiceValidateRequest": {
        "type": "object",
        "description": "A key to judge.",
        "required": [
          "key"
        ],
        "properties": {
          "key": {
            "description": "The key's value.",
            "type": "string",
            "minLength": 1,
            "maxLength": 8192
          },
          "apiId": {
            "description": "The API that is called; absent: no API check.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "credits": {
            "description": "What the call costs; 1 when absent, 0 only checks.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "requestId": {
            "description": "An idempotency key for 24 hours: the same id again answers the first VALID verdict and charges nothing.",
            "type": [
              "string",
              "null"
            ],
            "minLength": 1,
            "maxLength": 128,
            "pattern": "^[!-~]+$"
          },
          "endpoint": {
            "description": "The endpoint that is called, for the analytics.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 8192
          },
          "method": {
            "description": "The HTTP method, for the analytics.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 64
          },
          "clientIp": {
            "description": "The caller's address, for the analytics.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 256
          },
          "userAgent": {
            "description": "The caller's user agent, for the analytics.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 8192
          },
          "country": {
            "description": "The caller's country, for the analytics.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 256
          },
          "region": {
            "description": "The caller's region, for the analytics.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 256
          }
        },
        "additionalProperties": false
      },
      "KeyServiceValidateResponse": {
        "type": "object",
        "description": "A verdict.",
        "required": [
          "valid",
          "code",
          "requestId",
          "keyId",
          "apiId",
          "consumer",
          "credits",
          "rateLimit"
        ],
        "properties": {
          "valid": {
            "description": "Whether the key may pass.",
            "type": "boolean"
          },
          "code": {
            "description": "The verdict.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "VALID",
              "NOT_FOUND",
              "KEY_DISABLED",
              "KEY_EXPIRED",
              "CONSUMER_DISABLED",
              "CONSUMER_EXPIRED",
              "API_NOT_ALLOWED",
              "RATE_LIMITED",
              "USAGE_EXCEEDED",
              null
            ],
            "x-enumDescriptions": {
              "VALID": "The key may pass, and was charged.",
              "NOT_FOUND": "The key is unknown, malformed, deleted, rotated away or another project's.",
              "KEY_DISABLED": "The key is switched off.",
              "KEY_EXPIRED": "The key has expired.",
              "CONSUMER_DISABLED": "The consumer is switched off.",
              "CONSUMER_EXPIRED": "The consumer has expired.",
              "API_NOT_ALLOWED": "The key may not call this API.",
              "RATE_LIMITED": "The consumer's rate limit is reached.",
              "USAGE_EXCEEDED": "The consumer's credits do not cover the cost."
            }
          },
          "requestId": {
            "description": "The id of this validation, the caller's own where one was given.",
            "type": "string"
          },
          "keyId": {
            "description": "The key; null when it was not found.",
            "type": [
              "string",
              "null"
            ]
          },
          "apiId": {
            "description": "The API that is called.",
            "type": [
              "string",
              "null"
            ]
          },
          "consumer": {
            "description": "The consumer that owns the key; null when the key was not found.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/ValidatedConsumer"
              },
              {
                "type": "null"
              }
            ]
          },
          "credits": {
            "description": "The pool after the verdict; null: unlimited, or the key was not found.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/ValidatedCredits"
              },
              {
                "type": "null"
              }
            ]
          },
          "rateLimit": {
            "description": "The rate limit after the verdict; null: none, or the key was not found.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/ValidatedRateLimit"
              },
              {
                "type": "null"
              }
            ]
          },
          "retryAfterSeconds": {
            "description": "Seconds until a denied call may pass; absent when that is not known.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "LatencyDetails": {
        "type": "object",
        "description": "How long answers took, in milliseconds.",
        "required": [
          "avg",
          "min",
          "max",
          "p50",
          "p90",
          "p95",
          "p99",
          "histogram"
        ],
        "properties": {
          "avg": {
            "description": "The mean.",
            "type": "number"
          },
          "min": {
            "description": "The shortest.",
            "type": "number"
          },
          "max": {
            "description": "The longest.",
            "type": "number"
          },
          "p50": {
            "description": "What half of the answers stayed within.",
            "type": "number"
          },
          "p90": {
            "description": "What 90 of 100 answers stayed within.",
            "type": "number"
          },
          "p95": {
            "description": "What 95 of 100 answers stayed within.",
            "type": "number"
          },
          "p99": {
            "description": "What 99 of 100 answers stayed within.",
            "type": "number"
          },
          "histogram": {
            "description": "Ranges of latency, shortest first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AnalyticsShare"
            }
          }
        },
        "additionalProperties": false
      },
      "LogRow": {
        "type": "object",
        "description": "An event. Text that is not known is empty.",
        "required": [
          "requestId",
          "timestamp",
          "tsUnix",
          "method",
          "endpoint",
          "path",
          "statusCode",
          "latencyMs",
          "clientIp",
          "apiKey",
          "apiId",
          "apiName",
          "consumerId",
          "consumerName",
          "country",
          "region"
        ],
        "properties": {
          "requestId": {
            "description": "The request.",
            "type": "string"
          },
          "timestamp": {
            "description": "When it was, as YYYY-MM-DD HH:MM:SS in UTC; a look at the detail needs it.",
            "type": "string"
          },
          "tsUnix": {
            "description": "The same in Unix seconds.",
            "type": "integer",
            "format": "int64"
          },
          "method": {
            "description": "The HTTP method.",
            "type": "string"
          },
          "endpoint": {
            "description": "The endpoint that was called.",
            "type": "string"
          },
          "path": {
            "description": "The path with its query string.",
            "type": "string"
          },
          "statusCode": {
            "description": "The HTTP status; for a validation the one that goes with its verdict.",
            "type": "integer",
            "format": "int32"
          },
          "latencyMs": {
            "description": "How long the answer took, in milliseconds.",
            "type": "number"
          },
          "clientIp": {
            "description": "The caller's address.",
            "type": "string"
          },
          "apiKey": {
            "description": "The key, of which only the end is shown.",
            "type": "string"
          },
          "apiId": {
            "description": "The API that was called.",
            "type": "string"
          },
          "apiName": {
            "description": "The name of the API.",
            "type": "string"
          },
          "consumerId": {
            "description": "The consumer that called.",
            "type": "string"
          },
          "consumerName": {
            "description": "The name of the consumer.",
            "type": "string"
          },
          "country": {
            "description": "The caller's country.",
            "type": "string"
          },
          "region": {
            "description": "The caller's region.",
            "type": "string"
          },
          "code": {
            "description": "The verdict; on validations only.",
            "type": "string",
            "enum": [
              "VALID",
              "NOT_FOUND",
              "KEY_DISABLED",
              "KEY_EXPIRED",
              "CONSUMER_DISABLED",
              "CONSUMER_EXPIRED",
              "API_NOT_ALLOWED",
              "RATE_LIMITED",
              "USAGE_EXCEEDED"
            ],
            "x-enumDescriptions": {
              "VALID": "The key may pass, and was charged.",
              "NOT_FOUND": "The key is unknown, malformed, deleted, rotated away or another project's.",
              "KEY_DISABLED": "The key is switched off.",
              "KEY_EXPIRED": "The key has expired.",
              "CONSUMER_DISABLED": "The consumer is switched off.",
              "CONSUMER_EXPIRED": "The consumer has expired.",
              "API_NOT_ALLOWED": "The key may not call this API.",
              "RATE_LIMITED": "The consumer's rate limit is reached.",
              "USAGE_EXCEEDED": "The consumer's credits do not cover the cost."
            }
          },
          "keyId": {
            "description": "The key that was validated, empty when it was not found; on validations only.",
            "type": "string"
          },
          "creditsCharged": {
            "description": "What the validation charged; on validations only.",
            "type": "integer",
            "format": "int64"
          },
          "creditsRemaining": {
            "description": "Credits left after it; on validations only, null where usage is unlimited or the key was not found.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64"
          },
          "userAgent": {
            "description": "The caller's user agent; in the detail only.",
            "type": "string"
          }
        },
        "additionalProperties": false
      },
      "Overage": {
        "type": "object",
        "description": "Credits that may be spent once the pool is empty.",
        "required": [
          "enabled",
          "limit"
        ],
        "properties": {
          "enabled": {
            "description": "Whether overage is allowed.",
            "type": [
              "boolean",
              "null"
            ]
          },
          "limit": {
            "description": "How many credits beyond the pool; needed when enabled.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          }
        },
        "additionalProperties": false
      },
      "OverageInput": {
        "type": "object",
        "description": "Credits that may be spent once the pool is empty.",
        "required": [
          "enabled"
        ],
        "properties": {
          "enabled": {
            "description": "Whether overage is allowed.",
            "type": "boolean"
          },
          "limit": {
            "description": "How many credits beyond the pool; needed when enabled.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          }
        },
        "additionalProperties": false
      },
      "Plan": {
        "type": "object",
        "description": "A plan in a list.",
        "required": [
          "planId",
          "name",
          "credits",
          "rateLimit",
          "createdAt",
          "updatedAt"
        ],
        "properties": {
          "planId": {
            "description": "The plan.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "credits": {
            "description": "The credit pool of its holders; null: the plan gives no credits.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CreditsSettings"
              },
              {
                "type": "null"
              }
            ]
          },
          "rateLimit": {
            "description": "The rate limit of its holders; null: the plan gives none.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimit"
              },
              {
                "type": "null"
              }
            ]
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "PlanServiceCreateRequest": {
        "type": "object",
        "description": "A new plan.",
        "required": [
          "name"
        ],
        "properties": {
          "name": {
            "description": "The plan's name.",
            "type": "string",
            "minLength": 1,
            "maxLength": 16384
          },
          "credits": {
            "description": "The credit pool of its holders; unset: the plan gives no credits.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CreditsSettingsInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "rateLimit": {
            "description": "The rate limit of its holders; unset: the plan gives none.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimitInput"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "PlanServiceCreateResponse": {
        "type": "object",
        "description": "The plan that was made.",
        "required": [
          "planId",
          "name",
          "credits",
          "rateLimit",
          "createdAt",
          "updatedAt"
        ],
        "properties": {
          "planId": {
            "description": "The plan.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "credits": {
            "description": "The credit pool of its holders; null: the plan gives no credits.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CreditsSettings"
              },
              {
                "type": "null"
              }
            ]
          },
          "rateLimit": {
            "description": "The rate limit of its holders; null: the plan gives none.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimit"
              },
              {
                "type": "null"
              }
            ]
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "PlanServiceDeleteRequest": {
        "type": "object",
        "description": "Which plan.",
        "required": [
          "planId"
        ],
        "properties": {
          "planId": {
            "description": "The plan.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "PlanServiceDeleteResponse": {
        "type": "object",
        "description": "The plan that was deleted.",
        "required": [
          "planId",
          "deleted"
        ],
        "properties": {
          "planId": {
            "description": "The plan.",
            "type": "string"
          },
          "deleted": {
            "description": "Whether it is deleted.",
            "type": "boolean"
          }
        },
        "additionalProperties": false
      },
      "PlanServiceDetailsRequest": {
        "type": "object",
        "description": "Which plan.",
        "required": [
          "planId"
        ],
        "properties": {
          "planId": {
            "description": "The plan.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "PlanServiceDetailsResponse": {
        "type": "object",
        "description": "A plan.",
        "required": [
          "planId",
          "name",
          "credits",
          "rateLimit",
          "createdAt",
          "updatedAt"
        ],
        "properties": {
          "planId": {
            "description": "The plan.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "credits": {
            "description": "The credit pool of its holders; null: the plan gives no credits.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CreditsSettings"
              },
              {
                "type": "null"
              }
            ]
          },
          "rateLimit": {
            "description": "The rate limit of its holders; null: the plan gives none.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimit"
              },
              {
                "type": "null"
              }
            ]
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "PlanServiceListRequest": {
        "type": "object",
        "description": "Which plans.",
        "properties": {
          "page": {
            "description": "The page, counted from 1.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1
          },
          "limit": {
            "description": "Plans on a page; 25 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          }
        },
        "additionalProperties": false
      },
      "PlanServiceListResponse": {
        "type": "object",
        "description": "A page of plans.",
        "required": [
          "total",
          "page",
          "limit",
          "plans"
        ],
        "properties": {
          "total": {
            "description": "Plans in the project.",
            "type": "integer",
            "format": "int64"
          },
          "page": {
            "description": "The page, counted from 1.",
            "type": "integer",
            "format": "int32"
          },
          "limit": {
            "description": "Plans on a page.",
            "type": "integer",
            "format": "int32"
          },
          "plans": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Plan"
            }
          }
        },
        "additionalProperties": false
      },
      "PlanServiceUpdateRequest": {
        "type": "object",
        "description": "A change of a plan. The mask lists what changes; without a mask, every field that is set.",
        "required": [
          "planId"
        ],
        "properties": {
          "planId": {
            "description": "The plan.",
            "type": "string",
            "minLength": 1
          },
          "applyToConsumers": {
            "description": "Copy the plan, as it is after the change, onto every consumer that holds it; credits used are kept.",
            "type": [
              "boolean",
              "null"
            ]
          },
          "name": {
            "description": "The plan's name, which cannot be cleared.",
            "type": "string",
            "minLength": 1,
            "maxLength": 16384
          },
          "credits": {
            "description": "The credit pool of its holders, replaced as a whole; null: the plan gives no credits.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CreditsSettingsInput"
              },
              {
                "type": "null"
              }
            ]
          },
          "rateLimit": {
            "description": "The rate limit of its holders, replaced as a whole; null: the plan gives none.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimitInput"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "PlanServiceUpdateResponse": {
        "type": "object",
        "description": "The plan after the change.",
        "required": [
          "planId",
          "name",
          "credits",
          "rateLimit",
          "createdAt",
          "updatedAt",
          "consumersUpdated"
        ],
        "properties": {
          "planId": {
            "description": "The plan.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "credits": {
            "description": "The credit pool of its holders; null: the plan gives no credits.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CreditsSettings"
              },
              {
                "type": "null"
              }
            ]
          },
          "rateLimit": {
            "description": "The rate limit of its holders; null: the plan gives none.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/RateLimit"
              },
              {
                "type": "null"
              }
            ]
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "updatedAt": {
            "description": "When it was last changed.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "consumersUpdated": {
            "description": "Consumers that the plan was applied to.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "Project": {
        "type": "object",
        "description": "A project in a list.",
        "required": [
          "projectId",
          "name",
          "createdAt"
        ],
        "properties": {
          "projectId": {
            "description": "The project.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCreateRequest": {
        "type": "object",
        "description": "A new project.",
        "required": [
          "name"
        ],
        "properties": {
          "name": {
            "description": "The project's name.",
            "type": "string",
            "minLength": 1,
            "maxLength": 16384
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCreateResponse": {
        "type": "object",
        "description": "The project that was made.",
        "required": [
          "projectId",
          "name",
          "projectKey",
          "createdAt"
        ],
        "properties": {
          "projectId": {
            "description": "The project.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": "string"
          },
          "projectKey": {
            "description": "The value of its first credential, which is never shown again.",
            "type": "string"
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCredentialCreateRequest": {
        "type": "object",
        "description": "A new credential.",
        "properties": {
          "name": {
            "description": "The credential's name.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 16384
          },
          "scopes": {
            "description": "What it may do; empty: all scopes of a project.",
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "string",
              "enum": [
                "manage",
                "read",
                "validate",
                "ingest"
              ],
              "x-enumDescriptions": {
                "manage": "Everything in the project.",
                "read": "Read what shows no key in clear, and the analytics.",
                "validate": "Validate keys.",
                "ingest": "Send traffic events."
              }
            },
            "maxItems": 4,
            "uniqueItems": true
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCredentialCreateResponse": {
        "type": "object",
        "description": "The credential that was made.",
        "required": [
          "credentialId",
          "name",
          "scopes",
          "createdAt",
          "projectKey",
          "lastSix"
        ],
        "properties": {
          "credentialId": {
            "description": "The credential.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "scopes": {
            "description": "What it may do.",
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "manage",
                "read",
                "validate",
                "ingest",
                "operator"
              ],
              "x-enumDescriptions": {
                "manage": "Everything in the project.",
                "read": "Read what shows no key in clear, and the analytics.",
                "validate": "Validate keys.",
                "ingest": "Send traffic events.",
                "operator": "The operator's own credential: make, list and delete projects. No project credential has it."
              }
            }
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "projectKey": {
            "description": "Its value, which is never shown again.",
            "type": "string"
          },
          "lastSix": {
            "description": "The last six characters of its value.",
            "type": "string"
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCredentialListRequest": {
        "type": "object",
        "description": "Which credentials.",
        "properties": {
          "page": {
            "description": "The page, counted from 1.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1
          },
          "limit": {
            "description": "Credentials on a page; 25 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCredentialListResponse": {
        "type": "object",
        "description": "A page of credentials.",
        "required": [
          "total",
          "page",
          "limit",
          "credentials"
        ],
        "properties": {
          "total": {
            "description": "Credentials of the project.",
            "type": "integer",
            "format": "int64"
          },
          "page": {
            "description": "The page, counted from 1.",
            "type": "integer",
            "format": "int32"
          },
          "limit": {
            "description": "Credentials on a page.",
            "type": "integer",
            "format": "int32"
          },
          "credentials": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Credential"
            }
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCredentialRevokeRequest": {
        "type": "object",
        "description": "Which credential.",
        "required": [
          "credentialId"
        ],
        "properties": {
          "credentialId": {
            "description": "The credential.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCredentialRevokeResponse": {
        "type": "object",
        "description": "The credential that was revoked.",
        "required": [
          "credentialId",
          "revoked"
        ],
        "properties": {
          "credentialId": {
            "description": "The credential.",
            "type": "string"
          },
          "revoked": {
            "description": "Whether it is revoked.",
            "type": "boolean"
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCredentialRotateRequest": {
        "type": "object",
        "description": "Which credential, and for how long its old value goes on.",
        "required": [
          "credentialId"
        ],
        "properties": {
          "credentialId": {
            "description": "The credential.",
            "type": "string",
            "minLength": 1
          },
          "graceSeconds": {
            "description": "Seconds for which the old value still works; 0 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 31536000
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceCredentialRotateResponse": {
        "type": "object",
        "description": "The credential with its new value.",
        "required": [
          "credentialId",
          "name",
          "scopes",
          "createdAt",
          "projectKey",
          "lastSix",
          "previousValidUntil"
        ],
        "properties": {
          "credentialId": {
            "description": "The credential, as before.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "scopes": {
            "description": "What it may do.",
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "manage",
                "read",
                "validate",
                "ingest",
                "operator"
              ],
              "x-enumDescriptions": {
                "manage": "Everything in the project.",
                "read": "Read what shows no key in clear, and the analytics.",
                "validate": "Validate keys.",
                "ingest": "Send traffic events.",
                "operator": "The operator's own credential: make, list and delete projects. No project credential has it."
              }
            }
          },
          "createdAt": {
            "description": "When it was made.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "projectKey": {
            "description": "Its new value, which is never shown again.",
            "type": "string"
          },
          "lastSix": {
            "description": "The last six characters of the new value.",
            "type": "string"
          },
          "previousValidUntil": {
            "description": "When the old value stops working; null: it has.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceDeleteRequest": {
        "type": "object",
        "description": "Which project.",
        "required": [
          "projectId"
        ],
        "properties": {
          "projectId": {
            "description": "The project.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceDeleteResponse": {
        "type": "object",
        "description": "The project that was deleted.",
        "required": [
          "projectId",
          "deleted"
        ],
        "properties": {
          "projectId": {
            "description": "The project.",
            "type": "string"
          },
          "deleted": {
            "description": "Whether it is deleted.",
            "type": "boolean"
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceListRequest": {
        "type": "object",
        "description": "Which projects.",
        "properties": {
          "page": {
            "description": "The page, counted from 1.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1
          },
          "limit": {
            "description": "Projects on a page; 25 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          }
        },
        "additionalProperties": false
      },
      "ProjectServiceListResponse": {
        "type": "object",
        "description": "A page of projects.",
        "required": [
          "total",
          "page",
          "limit",
          "projects"
        ],
        "properties": {
          "total": {
            "description": "Projects that there are.",
            "type": "integer",
            "format": "int64"
          },
          "page": {
            "description": "The page, counted from 1.",
            "type": "integer",
            "format": "int32"
          },
          "limit": {
            "description": "Projects on a page.",
            "type": "integer",
            "format": "int32"
          },
          "projects": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Project"
            }
          }
        },
        "additionalProperties": false
      },
      "RateLimit": {
        "type": "object",
        "description": "Calls of /key/validate that may pass in a window, over all keys of a consumer.",
        "required": [
          "limit",
          "window"
        ],
        "properties": {
          "limit": {
            "description": "Calls per window.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 1,
            "maximum": 1000000000
          },
          "window": {
            "description": "The window's length in seconds; 1 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 86400
          }
        },
        "additionalProperties": false
      },
      "RateLimitInput": {
        "type": "object",
        "description": "Calls of /key/validate that may pass in a window, over all keys of a consumer.",
        "required": [
          "limit"
        ],
        "properties": {
          "limit": {
            "description": "Calls per window.",
            "type": "integer",
            "format": "int64",
            "minimum": 1,
            "maximum": 1000000000
          },
          "window": {
            "description": "The window's length in seconds; 1 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 86400
          }
        },
        "additionalProperties": false
      },
      "Refill": {
        "type": "object",
        "description": "A refill schedule as it stands.",
        "required": [
          "every",
          "refillCredit",
          "refillPolicy",
          "carryover",
          "nextRefillAt"
        ],
        "properties": {
          "every": {
            "description": "The interval.",
            "type": "string"
          },
          "refillCredit": {
            "description": "Credits granted at each refill.",
            "type": "integer",
            "format": "int64"
          },
          "refillPolicy": {
            "description": "reset or add.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "reset",
              "add",
              null
            ],
            "x-enumDescriptions": {
              "reset": "A fresh pool each interval.",
              "add": "A top-up on what is left."
            }
          },
          "carryover": {
            "description": "What rolls over; null: not configured.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Carryover"
              },
              {
                "type": "null"
              }
            ]
          },
          "nextRefillAt": {
            "description": "The next refill, in epoch milliseconds.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "RefillSettings": {
        "type": "object",
        "description": "A schedule that refills the pool.",
        "required": [
          "every",
          "refillCredit",
          "refillPolicy",
          "carryover"
        ],
        "properties": {
          "every": {
            "description": "The interval, a number and a unit, h for hours or d for days: 1h, 7d, 30d. Any other value counts as 1d.",
            "type": [
              "string",
              "null"
            ]
          },
          "refillCredit": {
            "description": "Credits granted at each refill.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "refillPolicy": {
            "description": "reset (the default) or add.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "reset",
              "add",
              null
            ],
            "x-enumDescriptions": {
              "reset": "A fresh pool each interval.",
              "add": "A top-up on what is left."
            }
          },
          "carryover": {
            "description": "What rolls over; unset: nothing does under reset, everything under add.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/Carryover"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "RefillSettingsInput": {
        "type": "object",
        "description": "A schedule that refills the pool.",
        "required": [
          "every",
          "refillCredit"
        ],
        "properties": {
          "every": {
            "description": "The interval, a number and a unit, h for hours or d for days: 1h, 7d, 30d. Any other value counts as 1d.",
            "type": "string"
          },
          "refillCredit": {
            "description": "Credits granted at each refill.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "refillPolicy": {
            "description": "reset (the default) or add.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "reset",
              "add",
              null
            ],
            "x-enumDescriptions": {
              "reset": "A fresh pool each interval.",
              "add": "A top-up on what is left."
            }
          },
          "carryover": {
            "description": "What rolls over; unset: nothing does under reset, everything under add.",
            "anyOf": [
              {
                "$ref": "#/components/schemas/CarryoverInput"
              },
              {
                "type": "null"
              }
            ]
          }
        },
        "additionalProperties": false
      },
      "RejectedEvent": {
        "type": "object",
        "description": "An event that was refused.",
        "required": [
          "index",
          "message"
        ],
        "properties": {
          "index": {
            "description": "Its place in the request, counted from 0.",
            "type": "integer",
            "format": "int32"
          },
          "message": {
            "description": "What is wrong with it, for people.",
            "type": "string"
          }
        },
        "additionalProperties": false
      },
      "TimeseriesPoint": {
        "type": "object",
        "description": "A bucket.",
        "required": [
          "timeBucket",
          "requests",
          "errors",
          "avgLatencyMs"
        ],
        "properties": {
          "timeBucket": {
            "description": "When it begins.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "requests": {
            "description": "Calls in it.",
            "type": "integer",
            "format": "int64"
          },
          "errors": {
            "description": "Errors among them.",
            "type": "integer",
            "format": "int64"
          },
          "avgLatencyMs": {
            "description": "The mean time an answer took, in milliseconds; 0 without calls.",
            "type": "number"
          }
        },
        "additionalProperties": false
      },
      "TotalApiCallsDetails": {
        "type": "object",
        "description": "How many calls each API had.",
        "required": [
          "total",
          "byApi"
        ],
        "properties": {
          "total": {
            "description": "Calls.",
            "type": "integer",
            "format": "int64"
          },
          "byApi": {
            "description": "The APIs by their ids, most frequent first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AnalyticsShare"
            }
          }
        },
        "additionalProperties": false
      },
      "TotalRequestsDetails": {
        "type": "object",
        "description": "How many calls there were.",
        "required": [
          "total",
          "byMethod",
          "byStatusClass"
        ],
        "properties": {
          "total": {
            "description": "Calls.",
            "type": "integer",
            "format": "int64"
          },
          "byMethod": {
            "description": "The HTTP methods, most frequent first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AnalyticsShare"
            }
          },
          "byStatusClass": {
            "description": "The classes of status, 2xx and so on, most frequent first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AnalyticsShare"
            }
          }
        },
        "additionalProperties": false
      },
      "TrafficEventInput": {
        "type": "object",
        "description": "A call that a guarded application served. No field has a rule here, because a rule that fails refuses the whole request, while a bad event is rejected alone: the service checks each event itself.",
        "required": [
          "method",
          "statusCode"
        ],
        "properties": {
          "requestId": {
            "description": "The id of the call, which ties it to a validation and is recorded once in 24 hours; one is made when absent. 1 to 128 visible ASCII characters.",
            "type": [
              "string",
              "null"
            ]
          },
          "timestamp": {
            "description": "When it was served: YYYY-MM-DD HH:MM:SS in UTC, ISO 8601, or Unix seconds or milliseconds. Now when absent; at most 30 days old, less where the service keeps events for less, and 5 minutes ahead.",
            "type": [
              "string",
              "number",
              "null"
            ]
          },
          "tsUnix": {
            "description": "The same in Unix seconds, as log rows have it; read when timestamp is absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64"
          },
          "method": {
            "description": "The HTTP method. Required; at most 64 characters.",
            "type": "string",
            "minLength": 1
          },
          "endpoint": {
            "description": "The endpoint, the path without what varies from call to call; the path without its query when absent. One of the two is required. At most 8,192 characters.",
            "type": [
              "string",
              "null"
            ]
          },
          "path": {
            "description": "The path with its query string. At most 8,192 characters.",
            "type": [
              "string",
              "null"
            ]
          },
          "statusCode": {
            "description": "The HTTP status that was answered. Required; 100 to 599.",
            "type": "integer",
            "format": "int32"
          },
          "latencyMs": {
            "description": "How long the answer took, in milliseconds, kept to the microsecond; 0 when absent, at most a day.",
            "type": [
              "number",
              "null"
            ]
          },
          "clientIp": {
            "description": "The caller's address. At most 256 characters, as country and region.",
            "type": [
              "string",
              "null"
            ]
          },
          "apiKey": {
            "description": "The key that the caller presented; only its end is kept.",
            "type": [
              "string",
              "null"
            ]
          },
          "apiId": {
            "description": "The API that was called.",
            "type": [
              "string",
              "null"
            ]
          },
          "apiName": {
            "description": "What the API was called then; the name that the project gave the API wins.",
            "type": [
              "string",
              "null"
            ]
          },
          "consumerId": {
            "description": "The consumer that called.",
            "type": [
              "string",
              "null"
            ]
          },
          "consumerName": {
            "description": "A label for the consumer; the consumer's own name is shown when absent.",
            "type": [
              "string",
              "null"
            ]
          },
          "country": {
            "description": "The caller's country.",
            "type": [
              "string",
              "null"
            ]
          },
          "region": {
            "description": "The caller's region.",
            "type": [
              "string",
              "null"
            ]
          },
          "userAgent": {
            "description": "The caller's user agent.",
            "type": [
              "string",
              "null"
            ]
          },
          "requestBody": {
            "description": "The body of the request, of which the first 2,048 bytes are kept.",
            "type": [
              "string",
              "null"
            ]
          },
          "responseBody": {
            "description": "The body of the response, of which the first 2,048 bytes are kept.",
            "type": [
              "string",
              "null"
            ]
          },
          "requestHeaders": {
            "description": "The headers of the request, as the JSON text of an object. Authorization, Cookie, Proxy-Authorization, Set-Cookie and X-API-Key are left out; what is left is at most 16,384 bytes.",
            "type": [
              "string",
              "null"
            ]
          },
          "responseHeaders": {
            "description": "The headers of the response, likewise.",
            "type": [
              "string",
              "null"
            ]
          }
        },
        "additionalProperties": false
      },
      "ValidatedConsumer": {
        "type": "object",
        "description": "The consumer that owns a validated key.",
        "required": [
          "consumerId",
          "name",
          "externalId",
          "planId",
          "metadata",
          "tags"
        ],
        "properties": {
          "consumerId": {
            "description": "The consumer.",
            "type": "string"
          },
          "name": {
            "description": "Its name.",
            "type": [
              "string",
              "null"
            ]
          },
          "externalId": {
            "description": "The caller's own identifier.",
            "type": [
              "string",
              "null"
            ]
          },
          "planId": {
            "description": "The plan that it holds.",
            "type": [
              "string",
              "null"
            ]
          },
          "metadata": {
            "description": "Data of the caller's own.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "tags": {
            "description": "Its labels.",
            "type": "array",
            "items": {
              "type": "string"
            }
          }
        },
        "additionalProperties": false
      },
      "ValidatedCredits": {
        "type": "object",
        "description": "A pool after a verdict.",
        "required": [
          "limit",
          "used",
          "remaining",
          "overageUsed",
          "cost",
          "nextRefillAt"
        ],
        "properties": {
          "limit": {
            "description": "The size of the pool now.",
            "type": "integer",
            "format": "int64"
          },
          "used": {
            "description": "Credits used, overage included.",
            "type": "integer",
            "format": "int64"
          },
          "remaining": {
            "description": "Credits left, never below 0.",
            "type": "integer",
            "format": "int64"
          },
          "overageUsed": {
            "description": "Credits used beyond the pool.",
            "type": "integer",
            "format": "int64"
          },
          "cost": {
            "description": "What this validation charged.",
            "type": "integer",
            "format": "int64"
          },
          "nextRefillAt": {
            "description": "The next refill, in epoch milliseconds; null: none.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "ValidatedRateLimit": {
        "type": "object",
        "description": "A rate limit after a verdict.",
        "required": [
          "limit",
          "window",
          "remaining",
          "resetAt"
        ],
        "properties": {
          "limit": {
            "description": "Calls per window.",
            "type": "integer",
            "format": "int64"
          },
          "window": {
            "description": "The window's length in seconds.",
            "type": "integer",
            "format": "int32"
          },
          "remaining": {
            "description": "Calls left in this window.",
            "type": "integer",
            "format": "int64"
          },
          "resetAt": {
            "description": "When the next window begins, in epoch milliseconds.",
            "type": "integer",
            "format": "int64"
          }
        },
        "additionalProperties": false
      },
      "WebhookDelivery": {
        "type": "object",
        "description": "An event and what became of it.",
        "required": [
          "eventId",
          "type",
          "consumerId",
          "url",
          "data",
          "status",
          "attempts",
          "createdAt",
          "lastAttemptAt",
          "nextAttemptAt",
          "lastStatusCode",
          "lastError",
          "deliveredAt"
        ],
        "properties": {
          "eventId": {
            "description": "The event, which the receiver sees as webhook-id.",
            "type": "string"
          },
          "type": {
            "description": "What it tells of.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "consumer.credits.threshold_reached",
              "consumer.credits.exhausted",
              "consumer.credits.overage_started",
              "consumer.credits.refilled",
              "consumer.status_changed",
              "consumer.deleted",
              "consumer.restored",
              "key.created",
              "key.rotated",
              "key.deleted",
              null
            ],
            "x-enumDescriptions": {
              "consumer.credits.threshold_reached": "Credits used have reached the shadow limit; once per refill period.",
              "consumer.credits.exhausted": "No credits are left in the pool.",
              "consumer.credits.overage_started": "The first credits beyond the pool are spent.",
              "consumer.credits.refilled": "A refill was granted.",
              "consumer.status_changed": "A consumer was switched on or off.",
              "consumer.deleted": "A consumer was deleted.",
              "consumer.restored": "A deleted consumer came back.",
              "key.created": "A key was made.",
              "key.rotated": "A key was given a new value.",
              "key.deleted": "A key was deleted."
            }
          },
          "consumerId": {
            "description": "The consumer that it concerns.",
            "type": "string"
          },
          "url": {
            "description": "The address that it is sent to.",
            "type": "string"
          },
          "data": {
            "description": "The data in its body.",
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true
          },
          "status": {
            "description": "How far the sending is.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "pending",
              "delivered",
              "failed",
              null
            ],
            "x-enumDescriptions": {
              "pending": "An attempt is due or under way.",
              "delivered": "The receiver took it.",
              "failed": "No attempt succeeded, and no other follows."
            }
          },
          "attempts": {
            "description": "Attempts so far.",
            "type": "integer",
            "format": "int32"
          },
          "createdAt": {
            "description": "When what it tells of happened.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "lastAttemptAt": {
            "description": "When it was last tried; null: never yet.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "nextAttemptAt": {
            "description": "When it is tried next; null: no attempt follows.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          },
          "lastStatusCode": {
            "description": "The HTTP status that the last attempt got; null: no answer.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32"
          },
          "lastError": {
            "description": "Why the last attempt failed, for people; null: it did not.",
            "type": [
              "string",
              "null"
            ]
          },
          "deliveredAt": {
            "description": "When the receiver took it; null: it has not.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "WebhookServiceDeliveriesRequest": {
        "type": "object",
        "description": "Which events.",
        "properties": {
          "consumerId": {
            "description": "Events of this consumer only.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 128
          },
          "type": {
            "description": "Events of this type only.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "consumer.credits.threshold_reached",
              "consumer.credits.exhausted",
              "consumer.credits.overage_started",
              "consumer.credits.refilled",
              "consumer.status_changed",
              "consumer.deleted",
              "consumer.restored",
              "key.created",
              "key.rotated",
              "key.deleted",
              null
            ],
            "x-enumDescriptions": {
              "consumer.credits.threshold_reached": "Credits used have reached the shadow limit; once per refill period.",
              "consumer.credits.exhausted": "No credits are left in the pool.",
              "consumer.credits.overage_started": "The first credits beyond the pool are spent.",
              "consumer.credits.refilled": "A refill was granted.",
              "consumer.status_changed": "A consumer was switched on or off.",
              "consumer.deleted": "A consumer was deleted.",
              "consumer.restored": "A deleted consumer came back.",
              "key.created": "A key was made.",
              "key.rotated": "A key was given a new value.",
              "key.deleted": "A key was deleted."
            }
          },
          "status": {
            "description": "Events of this status only.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "pending",
              "delivered",
              "failed",
              null
            ],
            "x-enumDescriptions": {
              "pending": "An attempt is due or under way.",
              "delivered": "The receiver took it.",
              "failed": "No attempt succeeded, and no other follows."
            }
          },
          "cursor": {
            "description": "Where to go on: the nextCursor of the page before; absent: the first page.",
            "type": [
              "string",
              "null"
            ],
            "maxLength": 8192
          },
          "pageSize": {
            "description": "Events on a page; 50 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int32",
            "minimum": 1,
            "maximum": 200
          }
        },
        "additionalProperties": false
      },
      "WebhookServiceDeliveriesResponse": {
        "type": "object",
        "description": "A page of events.",
        "required": [
          "deliveries",
          "nextCursor"
        ],
        "properties": {
          "deliveries": {
            "description": "The page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/WebhookDelivery"
            }
          },
          "nextCursor": {
            "description": "What to send for the next page; null on the last one.",
            "type": [
              "string",
              "null"
            ]
          }
        },
        "additionalProperties": false
      },
      "WebhookServiceReplayRequest": {
        "type": "object",
        "description": "Which event.",
        "required": [
          "eventId"
        ],
        "properties": {
          "eventId": {
            "description": "The event.",
            "type": "string",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "WebhookServiceReplayResponse": {
        "type": "object",
        "description": "The event that is sent again.",
        "required": [
          "eventId",
          "status",
          "nextAttemptAt"
        ],
        "properties": {
          "eventId": {
            "description": "The event, as before.",
            "type": "string"
          },
          "status": {
            "description": "How far the sending is.",
            "type": [
              "string",
              "null"
            ],
            "enum": [
              "pending",
              "delivered",
              "failed",
              null
            ],
            "x-enumDescriptions": {
              "pending": "An attempt is due or under way.",
              "delivered": "The receiver took it.",
              "failed": "No attempt succeeded, and no other follows."
            }
          },
          "nextAttemptAt": {
            "description": "When it is tried next.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "WebhookServiceSecretRotateRequest": {
        "type": "object",
        "description": "For how long the old secret goes on.",
        "properties": {
          "graceSeconds": {
            "description": "Seconds for which the old secret still signs beside the new one; 86400 when absent.",
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 31536000
          }
        },
        "additionalProperties": false
      },
      "WebhookServiceSecretRotateResponse": {
        "type": "object",
        "description": "The new secret.",
        "required": [
          "secret",
          "previousValidUntil"
        ],
        "properties": {
          "secret": {
            "description": "The secret, which begins with whsec_ and is never shown again.",
            "type": "string"
          },
          "previousValidUntil": {
            "description": "When the old secret stops signing; null: it has.",
            "type": [
              "string",
              "null"
            ],
            "format": "date-time"
          }
        },
        "additionalProperties": false
      },
      "Problem": {
        "type": "object",
        "description": "What went wrong (RFC 9457).",
        "required": [
          "type",
          "title",
          "status",
          "detail",
          "code",
          "requestId"
        ],
        "properties": {
          "type": {
            "type": "string",
            "format": "uri-reference",
            "description": "Identifies the kind of problem."
          },
          "title": {
            "type": "string",
            "description": "The kind of problem, for people."
          },
          "status": {
            "type": "integer",
            "description": "The HTTP status."
          },
          "detail": {
            "type": "string",
            "description": "This problem, for people."
          },
          "code": {
            "type": "string",
            "description": "The gRPC code in snake_case."
          },
          "requestId": {
            "type": "string",
            "description": "The id of the call."
          },
          "errors": {
            "type": "array",
            "description": "The fields that are at fault.",
            "items": {
              "type": "object",
              "required": [
                "field",
                "message"
              ],
              "properties": {
                "field": {
                  "type": "string"
                },
                "message": {
                  "type": "string"
                }
              }
            }
          }
        }
      }
    }
  }
};
