package adminapi

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Route is one operation of the admin API, from which OpenAPI describes it.
type Route struct {
	Method, Path string
	// Summary is one line, Detail more of it or empty.
	Summary, Detail string
	Query           []QueryParameter
	// Body and Answer are values of the types that are taken and given; nil for none.
	Body, Answer any
	// Change: it needs the token, from anywhere.
	Change bool
	// Accepted: 202 is an answer as well.
	Accepted bool
	// CSV: the answer can be text/csv as well.
	CSV bool
	// Stream: the answer is a stream of server-sent events.
	Stream bool
	// Lines: the answer is lines of JSON, each an Answer, while the request is open.
	Lines bool
	// Partly: an error may carry the answer's fields, for what was done before it.
	Partly bool
}

// QueryParameter is one parameter of a query.
type QueryParameter struct {
	Name, About string
	// Values are all that it may be; none for a number, or for a Text.
	Values   []string
	Text     bool
	Required bool
}

type object = map[string]any

// OpenAPI returns the OpenAPI 3.1 document of the routes.
func OpenAPI(version string, routes []Route) map[string]any {
	s := schemas{defs: object{}}
	errors := object{"description": "what went wrong, by code",
		"content": content(s.of(reflect.TypeFor[ErrorBody]()))}
	paths := object{}
	for _, r := range routes {
		item, ok := paths[r.Path].(object)
		if !ok {
			item = object{}
			paths[r.Path] = item
		}
		item[strings.ToLower(r.Method)] = operation(&s, r)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "tutti admin API", "version": version,
			"description": "Amounts are strings of the smallest unit (wei, or 10^-18 of a token). Cuts are parts per " +
				"million. Times are RFC 3339. " +
				"Changes need POST and the token of the file " + TokenFile +
				"; reads need it only where the listener is not on loopback.",
		},
		"paths": paths,
		"components": object{
			"schemas":         s.defs,
			"responses":       object{"Error": errors},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
	}
}

func operation(s *schemas, r Route) object {
	ok := object{"description": "done"}
	if r.Stream {
		ok["content"] = object{"text/event-stream": object{"schema": object{"type": "string"}}}
	} else if r.Lines {
		ok["content"] = object{"application/x-ndjson": object{"schema": s.of(reflect.TypeOf(r.Answer))}}
	} else if r.Answer != nil {
		ok["content"] = content(s.of(reflect.TypeOf(r.Answer)))
	} else {
		ok["content"] = content(object{"type": "object"})
	}
	if r.CSV {
		ok["content"].(object)["text/csv"] = object{"schema": object{"type": "string"}}
	}
	responses := object{"200": ok, "default": object{"$ref": "#/components/responses/Error"}}
	if r.Accepted {
		late := object{"description": "sent, and not mined yet", "content": ok["content"]}
		responses[strconv.Itoa(202)] = late
	}
	if r.Partly {
		either := []any{s.of(reflect.TypeFor[ErrorBody]()), s.of(reflect.TypeOf(r.Answer))}
		responses["default"] = object{"description": "what went wrong, and what was done before it",
			"content": content(object{"anyOf": either})}
	}
	op := object{"operationId": operationID(r), "summary": r.Summary, "responses": responses}
	if r.Detail != "" {
		op["description"] = r.Detail
	}
	if parameters := parameters(r); len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if r.Body != nil {
		op["requestBody"] = object{"required": r.Body != None{}, "content": content(s.of(reflect.TypeOf(r.Body)))}
	}
	if r.Change {
		op["security"] = []any{object{"token": []any{}}}
	}
	return op
}

func content(schema object) object { return object{"application/json": object{"schema": schema}} }

// operationID returns the method and the path's words: "getUnbondingLocks".
func operationID(r Route) string {
	words := strings.FieldsFunc(strings.TrimPrefix(r.Path, Prefix),
		func(c rune) bool { return strings.ContainsRune("/-.{}", c) })
	id := strings.ToLower(r.Method)
	for _, w := range words {
		id += strings.ToUpper(w[:1]) + w[1:]
	}
	return id
}

func parameters(r Route) (out []any) {
	for _, part := range strings.Split(r.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			schema := address()
			if name == "hash" {
				schema = hash()
			}
			out = append(out, object{"name": name, "in": "path", "required": true, "schema": schema})
		}
	}
	for _, q := range r.Query {
		schema := object{"type": "integer", "minimum": 0}
		if len(q.Values) > 0 {
			schema = object{"type": "string", "enum": anys(q.Values)}
		} else if q.Text {
			schema = object{"type": "string"}
		}
		out = append(out, object{"name": q.Name, "in": "query", "required": q.Required, "description": q.About,
			"schema": schema})
	}
	return out
}

func anys[T any](list []T) (out []any) {
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

// Allows reports whether the parameter may have a value.
func (p QueryParameter) Allows(value string) bool {
	if len(p.Values) > 0 {
		return slices.Contains(p.Values, value)
	}
	if p.Text {
		return true
	}
	_, err := strconv.ParseUint(value, 10, 64)
	return err == nil
}

// QueryNames returns the parameters of the query.
func (r Route) QueryNames() (out []string) {
	for _, q := range r.Query {
		out = append(out, q.Name)
	}
	return out
}

// BodyName and AnswerName are the schemas' names, empty where there is none.
func (r Route) BodyName() string { return typeName(r.Body) }

// AnswerName returns the name of the answer's schema.
func (r Route) AnswerName() string { return typeName(r.Answer) }

func typeName(v any) string {
	if v == nil {
		return ""
	}
	return reflect.TypeOf(v).Name()
}
