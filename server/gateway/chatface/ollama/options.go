package ollama

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// numbers are options that go on under the same name, or under two where servers differ. Read-only.
var numbers = map[string][]string{
	"min_p": {"min_p"}, "typical_p": {"typical_p"}, "seed": {"seed"},
	"frequency_penalty": {"frequency_penalty"}, "presence_penalty": {"presence_penalty"},
	"repeat_penalty": {"repeat_penalty", "repetition_penalty"}, "repeat_last_n": {"repeat_last_n"},
	"mirostat": {"mirostat"}, "mirostat_tau": {"mirostat_tau"}, "mirostat_eta": {"mirostat_eta"},
}

// setOptions maps a request's options. Those that say how a server loads a model (num_ctx, num_gpu …) are the
// model server's, and are ignored like the unknown ones.
func setOptions(out *chatface.ChatRequest, options map[string]json.RawMessage) error {
	for name, value := range options {
		if string(value) == "null" {
			continue
		}
		var err error
		switch name {
		case "num_predict":
			out.MaxTokens, err = count(value)
		case "stop":
			out.Stop, err = stops(value)
		case "temperature":
			out.Temperature, err = number(name, value)
		case "top_p":
			out.TopP, err = number(name, value)
		case "top_k":
			out.TopK, err = number(name, value)
		default:
			for _, own := range numbers[name] {
				out.Extra[own], err = number(name, value)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// number refuses what is no number.
func number(name string, value json.RawMessage) (json.RawMessage, error) {
	if _, err := strconv.ParseFloat(string(value), 64); err != nil {
		return nil, chatface.Refuse("options."+name, "a number is expected")
	}
	return value, nil
}

// count reads num_predict, where a number below 1 is no bound.
func count(value json.RawMessage) (int64, error) {
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || n != math.Trunc(n) || n > math.MaxInt32 {
		return 0, chatface.Refuse("options.num_predict", "a whole number is expected")
	}
	return max(0, int64(n)), nil
}

// stops reads one stop sequence or a list of them.
func stops(value json.RawMessage) (out []string, err error) {
	if value = bytes.TrimSpace(value); value[0] == '"' {
		value = append(append([]byte{'['}, value...), ']')
	}
	if json.Unmarshal(value, &out) != nil {
		return nil, chatface.Refuse("options.stop", "a text or a list of texts is expected")
	}
	return out, nil
}
