package airouting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// PreferencesField is the field of a request that has the client's preferences.
const PreferencesField = "provider"

const (
	// maxPreferences bounds all preferences of a request, in bytes: read, they take many times their length. maxProviders
	// bounds each list, maxAmount the text of a price in bytes.
	maxPreferences = 64 << 10
	maxProviders   = 32
	maxAmount      = 32
	// largestAmount bounds a price in dollars; one below its inverse is 0.
	largestAmount = 1e18
	// tokensPerPrice is the number of tokens that a client's price is for.
	tokensPerPrice = 1_000_000
)

// ErrNoRate is returned by a rate that the gateway does not have at all.
var ErrNoRate = errors.New("this gateway knows no rate of the dollar")

// Rate returns what a dollar is in wei. The error is ErrNoRate, or a fault where the rate is not known at
// the moment.
type Rate func() (*big.Rat, error)

// ParsePreferences reads the preferences of a request in the form that OpenRouter's clients send; an empty
// text and null have none. Every field that cannot be kept is refused. Errors name the field, see
// pipeline.FieldOf, and those of rate.
func ParsePreferences(raw []byte, op inference.Operation, rate Rate) (*Preferences, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if len(raw) > maxPreferences {
		return nil, pipeline.NewFieldError(PreferencesField, fmt.Sprintf("%d bytes at most", maxPreferences))
	}
	var fields map[string]json.RawMessage
	if raw[0] != '{' || json.Unmarshal(raw, &fields) != nil {
		return nil, pipeline.NewFieldError(PreferencesField, "an object was expected")
	}
	r := preferencesReader{op: op, rate: rate}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		if string(value) == "null" {
			continue
		}
		read, known := preferenceFields[name]
		if !known {
			return nil, r.bad(name, "the gateway has no such preference")
		}
		if err := read(&r, name, value); err != nil {
			return nil, err
		}
	}
	return &r.out, nil
}

// preferencesReader reads the fields of preferences.
type preferencesReader struct {
	op   inference.Operation
	rate Rate
	out  Preferences
}

func (r *preferencesReader) bad(name, what string) error {
	const most = 64
	return pipeline.NewFieldError(PreferencesField+"."+strings.ToValidUTF8(name[:min(len(name), most)], ""), what)
}

// preferenceFields are the known fields. Read-only.
var preferenceFields = map[string]func(r *preferencesReader, name string, value []byte) error{
	"order":  func(r *preferencesReader, n string, v []byte) error { return r.providers(n, v, &r.out.Order) },
	"only":   func(r *preferencesReader, n string, v []byte) error { return r.providers(n, v, &r.out.Only) },
	"ignore": func(r *preferencesReader, n string, v []byte) error { return r.providers(n, v, &r.out.Ignore) },
	"allow_fallbacks": func(r *preferencesReader, n string, v []byte) error {
		allow := true
		err := r.flag(n, v, &allow)
		r.out.NoFallbacks = !allow
		return err
	},
	"require_parameters": func(r *preferencesReader, n string, v []byte) error {
		return r.flag(n, v, &r.out.KeepParameters)
	},
	"sort":      (*preferencesReader).sort,
	"max_price": (*preferencesReader).maxPrice,
	// What the network does not promise may only be asked for in the value that asks for nothing.
	"data_collection":          only(`"allow"`, "no orchestrator promises what it keeps of requests"),
	"zdr":                      only("false", "no orchestrator promises what it keeps of requests"),
	"enforce_distillable_text": only("false", "the gateway does not know the models' licenses"),
	"quantizations":            only("[]", "orchestrators do not say how their models are quantized"),
	"preferred_max_latency":    only("{}", "sort by latency instead"),
	"preferred_min_throughput": only("{}", "the gateway does not measure the throughput of orchestrators"),
}

// only returns the reader of a field with one possible value.
func only(possible, why string) func(*preferencesReader, string, []byte) error {
	return func(r *preferencesReader, name string, value []byte) error {
		var compact bytes.Buffer
		if err := json.Compact(&compact, value); err != nil || compact.String() != possible {
			return r.bad(name, "only "+possible+" is possible: "+why)
		}
		return nil
	}
}

func (r *preferencesReader) flag(name string, value []byte, to *bool) error {
	if json.Unmarshal(value, to) != nil {
		return r.bad(name, "true or false was expected")
	}
	return nil
}

func (r *preferencesReader) providers(name string, value []byte, to *[]Provider) error {
	var names []string
	if json.Unmarshal(value, &names) != nil || len(names) > maxProviders {
		return r.bad(name, fmt.Sprintf("a list of at most %d orchestrators was expected", maxProviders))
	}
	for i, text := range names {
		p, err := ParseProvider(text)
		if err != nil {
			return r.bad(fmt.Sprintf("%s[%d]", name, i), fmt.Sprintf("%.64q is %v", text, err))
		}
		*to = append(*to, p)
	}
	return nil
}

// sort reads a word, or an object with the word in "by".
func (r *preferencesReader) sort(name string, value []byte) error {
	by := value
	if value[0] == '{' {
		var in map[string]json.RawMessage
		_ = json.Unmarshal(value, &in) // it is part of a whole value
		for field, v := range in {
			if field != "by" && (field != "partition" || string(v) != `"model"` && string(v) != "null") {
				return r.bad(name+"."+field, `only "by", and "partition" with the value "model", are possible`)
			}
		}
		name, by = name+".by", in["by"]
	}
	word := ""
	if json.Unmarshal(by, &word) != nil {
		return r.bad(name, `"price" or "latency" was expected`)
	}
	switch r.out.Sort = Sort(word); r.out.Sort {
	case ByPrice, ByLatency:
		return nil
	}
	if word == "throughput" {
		return r.bad(name, `the gateway does not measure the throughput of orchestrators; "price" and "latency" are possible`)
	}
	return r.bad(name, `"price" or "latency" was expected`)
}

// maxPrice reads prices in dollars: of a million tokens of the prompt and of the answer. Chats are priced by
// the tokens of their answers, embeddings and ranks by those that are read; nothing else has a price.
func (r *preferencesReader) maxPrice(name string, value []byte) error {
	var in map[string]json.RawMessage
	if value[0] != '{' || json.Unmarshal(value, &in) != nil {
		return r.bad(name, "an object with prices was expected")
	}
	counts := "completion"
	if !r.op.Generates() {
		counts = "prompt"
	}
	for _, what := range slices.Sorted(maps.Keys(in)) {
		field := name + "." + what
		switch what {
		case "prompt", "completion", "request", "image", "audio":
		default:
			return r.bad(field, "the gateway knows no such price")
		}
		if string(in[what]) == "null" {
			continue
		}
		dollars, ok := amount(in[what])
		if !ok {
			return r.bad(field, "a number of dollars of at least 0 was expected")
		}
		if what != counts {
			continue // it costs nothing
		}
		wei, err := r.rate()
		if errors.Is(err, ErrNoRate) {
			return r.bad(field, err.Error())
		}
		if err != nil {
			return err
		}
		dollars.Mul(dollars, wei)
		r.out.MaxPrice = dollars.Quo(dollars, big.NewRat(tokensPerPrice, 1))
	}
	return nil
}

// amount reads a number, or a text with one. Exponents are bounded, because a rational keeps all digits.
func amount(raw []byte) (*big.Rat, bool) {
	text := string(raw)
	if len(text) > maxAmount {
		return nil, false
	}
	if text[0] == '"' {
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
	}
	if !json.Valid([]byte(text)) || text[0] < '0' || text[0] > '9' {
		return nil, false
	}
	switch v, err := json.Number(text).Float64(); {
	case err != nil, v > largestAmount:
		return nil, false
	case v < 1/largestAmount:
		return new(big.Rat), true
	}
	return new(big.Rat).SetString(text)
}
