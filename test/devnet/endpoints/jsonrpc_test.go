package endpoints

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "{}", "[]", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`,
		`[{"id":"a","method":"x"},{}]`, `[1]`, `{"params":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		requests, batch, err := parse(body)
		if err != nil || len(requests) == 0 {
			return
		}
		if !batch && len(requests) != 1 {
			t.Errorf("%d requests that are no batch", len(requests))
		}
		answers := make([]response, len(requests))
		for i, r := range requests {
			answers[i] = reply(r.ID, nil, nil)
		}
		if out := encode(answers, batch); !json.Valid(out) {
			t.Errorf("an answer that is no JSON: %s", out)
		}
	})
}

func FuzzPin(f *testing.F) {
	for _, seed := range []string{"null", `"latest"`, `"pending"`, `"earliest"`, `"0x5"`, `{"blockHash":"0x00"}`,
		`"0xzz"`, `5`} {
		f.Add(seed, uint64(7))
	}
	f.Fuzz(func(t *testing.T, param string, head uint64) {
		if pinned, beyond := pin(json.RawMessage(param), head); json.Valid([]byte(param)) && !json.Valid(pinned) {
			t.Errorf("%q becomes %q, %v", param, pinned, beyond)
		}
	})
}

func TestPin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		param, want string
		beyond      bool
	}{
		{"null", `"0x7"`, false}, {`"latest"`, `"0x7"`, false}, {`"pending"`, `"0x7"`, false}, {`"safe"`, `"0x7"`, false},
		{`"finalized"`, `"0x7"`, false},
		{`"earliest"`, `"0x0"`, false}, {`"0x7"`, `"0x7"`, false}, {`"0x8"`, `"0x8"`, true},
		{`{"blockHash":"0x1"}`, `{"blockHash":"0x1"}`, false},
	}
	for _, tt := range tests {
		if got, beyond := pin(json.RawMessage(tt.param), 7); string(got) != tt.want || beyond != tt.beyond {
			t.Errorf("%s: %s, %v", tt.param, got, beyond)
		}
	}
}

func TestWithL1LeavesTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l1 := rapid.Uint64().Draw(t, "l1")
		mix := strings.Repeat("00", 8) + hex16(l1) + strings.Repeat("00", 16)
		out, err := withL1(json.RawMessage(`{"number":"0x1","mixHash":"0x` + mix + `","extraData":"0x"}`))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		if len(got) != 4 || got["number"] != "0x1" || strings.TrimLeft(hex16(l1),
			"0") != strings.TrimLeft(strings.TrimPrefix(got["l1BlockNumber"], "0x"), "0") {
			t.Fatalf("%v", got)
		}
	})
	if out, err := withL1(json.RawMessage("null")); err != nil || string(out) != "null" {
		t.Errorf("no block becomes %s, %v", out, err)
	}
}

func hex16(n uint64) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 16)
	for i := range out {
		out[15-i] = digits[n>>(4*i)&15]
	}
	return string(out)
}
