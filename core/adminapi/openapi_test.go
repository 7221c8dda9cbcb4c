package adminapi_test

import (
	"encoding/json"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	doc := adminapi.OpenAPI("1.0", []adminapi.Route{
		{Method: "GET", Path: "/api/v1/balances", Summary: "means", Answer: adminapi.Balances{}},
		{Method: "POST", Path: "/api/v1/gas", Summary: "bounds", Body: adminapi.GasChange{}, Answer: adminapi.Gas{},
			Change: true,
			Query:  []adminapi.QueryParameter{{Name: "n", About: "a number"}}},
	})
	part := func(keys ...string) string {
		var v any = doc
		for _, k := range keys {
			v = v.(map[string]any)[k]
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"components", "schemas", "Balances"}, `{"additionalProperties":false,"properties":{` +
			`"allowance":{"description":"10^-18 of a stake token","pattern":"^[0-9]+$","type":"string"},` +
			`"ether":{"description":"wei","pattern":"^[0-9]+$","type":"string"},` +
			`"token":{"description":"10^-18 of a stake token","pattern":"^[0-9]+$","type":"string"}},` +
			`"required":["ether","token","allowance"],"type":"object"}`},
		{[]string{"components", "schemas", "GasChange"}, `{"additionalProperties":false,"properties":{` +
			`"max":{"description":"wei","pattern":"^[0-9]+$","type":"string"},` +
			`"min":{"description":"wei","pattern":"^[0-9]+$","type":"string"}},"type":"object"}`},
		{[]string{"paths", "/api/v1/gas", "post", "security"}, `[{"token":[]}]`},
		{[]string{"paths", "/api/v1/gas", "post", "operationId"}, `"postGas"`},
		{[]string{"paths", "/api/v1/gas", "post", "parameters"},
			`[{"description":"a number","in":"query","name":"n","required":false,"schema":{"minimum":0,"type":"integer"}}]`},
		{[]string{"paths", "/api/v1/balances", "get", "security"}, `null`},
	} {
		if got := part(tt.keys...); got != tt.want {
			t.Errorf("%v: %s", tt.keys, got)
		}
	}
}

func TestAllows(t *testing.T) {
	t.Parallel()
	number, words := adminapi.QueryParameter{Name: "n"}, adminapi.QueryParameter{Name: "w", Values: []string{"a", "b"}}
	for value, want := range map[string][2]bool{"7": {true, false}, "a": {false, true}, "": {false, false},
		"-1": {false, false}} {
		if number.Allows(value) != want[0] || words.Allows(value) != want[1] {
			t.Errorf("%q", value)
		}
	}
}
