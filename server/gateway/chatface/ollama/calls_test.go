package ollama

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// TestManyCalls: calls are bounded, and each result finds its own, in whatever order results come. Without a bound, and
// with a search over all calls for each result, one request took minutes of the gateway's time.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	ask := func(calls int, result string) (string, error) {
		var b strings.Builder
		b.WriteString(`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"first"}}`)
		for i := 1; i < calls; i++ {
			fmt.Fprintf(&b, `,{"id":"c%d","function":{"name":"n%d"}}`, i, i)
		}
		b.WriteString(`]}`)
		for i := calls - 1; i > 0; i-- {
			fmt.Fprintf(&b, `,{"role":"tool",`+result+`}`, i)
		}
		b.WriteString(`,{"role":"tool"}]}`)
		c, err := readChat(&face{now: time.Now}, time.Time{}, []byte(b.String()))
		if err != nil {
			return "", err
		}
		return string(c.Chat()), nil
	}
	for _, result := range []string{`"tool_call_id":"c%d"`, `"tool_name":"n%d"`} {
		chat, err := ask(maxCalls, result)
		last := strings.LastIndex(chat, `"tool_call_id":`)
		if err != nil || !strings.HasPrefix(chat[max(0, last):], `"tool_call_id":"call_0"`) {
			t.Errorf("%s: %v", result, err)
		}
		if _, err := ask(maxCalls+1, result); fault.CodeOf(err) != fault.RequestUnreadable {
			t.Errorf("one more, %s: %v", result, err)
		}
	}
}
