package sse

import "testing"

// Events in OpenAI's form are recognized when they come again: their "object" is no fact of interest.
func TestRepeatLearns(t *testing.T) {
	t.Parallel()
	for name, event := range map[string]string{
		"OpenAI":  `data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"a"}}]}` + "\n\n",
		"network": `data: {"choices":[{"delta":{"content":"a"},"finish_reason":""}]}` + "\n\n",
	} {
		var p parser
		p.next([]byte(event))
		p.take()
		if p.repeat.match([]byte(event)) != len(event) {
			t.Errorf("%s: the form of %s was not learned", name, event)
		}
	}
}
