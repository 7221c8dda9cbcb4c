// Package openapi writes the OpenAPI 3.1 document of the admin API from the table
// of its routes and the Go types that they take and give.
//
// It is no router and answers no request; the types are the only source, so that
// document and answers cannot drift apart. server/admin hands in its table and
// serves what comes out.
//
// jsonbody.go reads the JSON objects that the admin API takes, strictly: a field that is unknown,
// missing, given twice or wrong is refused by its name.
package openapi
