package pipeline

import (
	"strconv"

	"github.com/tuttinode/tutti/core/inference"
)

// NetworkLLM returns a chat request in the form of the existing network: the seven
// fields that its nodes know, contents as plain text, max_tokens and stream
// always there. body is one that Decode took for a chat; for any other the
// result is nil. What the form cannot express is left out; Request.Plain reports
// whether anything is.
func NetworkLLM(body []byte) []byte {
	out := append(make([]byte, 0, len(body)+64), `{"messages":[`...)
	first := true
	l := llm{message: func(m message) {
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(append(out, `{"role":"`...), m.role...)
		out = append(out, `","content":"`...)
		more := false
		eachText(m.content, func(raw []byte) {
			if more {
				out = append(out, `\n`...)
			}
			more = true
			out = append(out, raw...)
		})
		out = append(out, `"}`...)
	}}
	if err := l.read(inference.Chat, body); err != nil {
		return nil
	}
	out = append(append(out, `],"model":`...), quoteJSON(l.model)...)
	tokens := l.maxTokens()
	if tokens == 0 {
		tokens = int64(DefaultMaxTokens)
	}
	out = strconv.AppendInt(append(out, `,"max_tokens":`...), tokens, 10)
	out = strconv.AppendBool(append(out, `,"stream":`...), l.stream)
	for i, name := range samplings {
		if v := l.sampling[i]; len(v) > 0 && v[0] != '"' && v[0] != '[' && v[0] != '{' && v[0] != 't' && v[0] != 'f' {
			out = append(append(append(out, `,"`...), name...), `":`...)
			out = append(out, v...)
		}
	}
	return append(out, '}')
}
