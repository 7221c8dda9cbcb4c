// Package jsonbody reads the JSON objects that the admin API takes, strictly: a
// field that is unknown, missing, given twice or wrong is refused by its name.
//
// It reads flat objects into structs, by their json tags, and nothing else;
// server/admin calls it with bodies whose size it bounded.
package jsonbody
