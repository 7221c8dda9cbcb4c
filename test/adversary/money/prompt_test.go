package money

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/test/pipelines"
)

// TestLongPromptsForOneToken: a prompt is bounded by what max_tokens pays for, wherever in
// the request it stands, and ordinary requests are served.
func TestLongPromptsForOneToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	p.served(4)
	long := strings.Repeat("many words ", 200_000/4) // some 130 000 tokens
	request := func(messages, rest string, maxTokens int) string {
		return fmt.Sprintf(`{"model":%q,"messages":%s,"max_tokens":%d%s}`, pipelines.Model("llm"), messages, maxTokens,
			rest)
	}
	short := `[{"role":"user","content":"Count."}]`
	for name, c := range map[string]struct {
		body   string
		served bool
	}{
		"in a message": {request(`[{"role":"user","content":"`+long+`"}]`, "", 1), false},
		"in parts": {request(`[{"role":"user","content":[{"type":"text","text":"`+long+`"}]}]`, "", 1),
			false},
		"in a part of a file": {request(`[{"role":"user","content":[{"type":"file","file":{"file_data":"`+long+`"}}]}]`,
			"", 1), false},
		"in a part that names a picture": {request(`[{"role":"user","content":[{"x":"image_url","type":"tex\u0074",`+
			`"tex\u0074":"`+long+`"}]}]`, "", 1), false},
		"in a refusal next to a picture": {request(`[{"role":"user","content":[{"type":"refusal","image_url":null,`+
			`"refusal":"`+long+`"}]}]`, "", 1), false},
		"in a role": {request(`[{"role":"user`+long+`","content":"Count."}]`, "", 1), false},
		"in what seems a picture in the tools of a large request": {request(short, `,"tools":[{"type":"function",`+
			`"function":{"name":"f","parameters":{"url":"data:image/png;base64,`+strings.Repeat("many", 5<<18)+`"}}}]`, 1),
			false},
		"in calls of tools": {request(`[{"role":"assistant","content":"x","tool_calls":[{"id":"1","type":"function",`+
			`"function":{"name":"f","arguments":"`+long+`"}}]}]`, "", 1), false},
		"in tools": {request(short,
			`,"tools":[{"type":"function","function":{"name":"f","description":"`+long+`"}}]`, 1), false},
		"in a schema": {request(short,
			`,"response_format":{"type":"json_schema","json_schema":{"name":"x","description":"`+long+`"}}`, 1), false},
		"paid for":              {request(`[{"role":"user","content":"`+long+`"}]`, "", 1024), true},
		"8000 tokens for one":   {request(`[{"role":"user","content":"`+long[:30_000]+`"}]`, "", 1), true},
		"30 000 tokens for 256": {request(`[{"role":"user","content":"`+long[:120_000]+`"}]`, "", 256), true},
		"an image": {request(`[{"role":"user","content":[{"type":"image_url",`+
			`"image_url":{"url":"data:image/png;base64,`+strings.Repeat("A", 300_000)+`"}}]}]`, "", 16), true},
	} {
		info := p.offer(wants(capability.LLM))
		status, text := p.job(capability.LLM, info, p.pay(info, tickets(info, 1100*tokenPrice)), "application/json",
			[]byte(c.body))
		if c.served && status != 200 || !c.served && (status != 400 ||
			!strings.Contains(text, "pays for a prompt of 8320")) {
			t.Errorf("%s: %d %.200s", name, status, text)
		}
	}
	w.stop()
	w.start("-promptRatio", "0")
	p.served(4)
	info := p.offer(wants(capability.LLM))
	if status, text := p.ask(info, p.pay(info, 4), long, 1); status != 200 {
		t.Errorf("without a bound: %d %.200s", status, text)
	}
}

// debt makes an account of the payer that owes an amount of gwei, idle for long enough to
// be closed, in the books of a node that is stopped.
func (p *payer) debt(gwei int64) {
	p.Helper()
	idle := time.Now().Add(-time.Hour).UnixNano()
	p.change(`UPDATE ledger_account SET open = 1, balance = ?, used = ? WHERE sender = ?`,
		fmt.Sprintf("-%d000000000", gwei), idle, p.address[:])
}

// TestDebtsSurviveRestarts: what a gateway left unpaid in an account that is closed by now
// has to be paid in every other, also after two restarts.
func TestDebtsSurviveRestarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	p.served(4)
	w.stop()
	p.debt(400)
	w.start()
	p.Wait("the account to be closed", 30*time.Second,
		func() bool { return p.query(`SELECT sum(open) FROM ledger_account`) == "0" })
	for range 2 {
		w.stop()
		w.start()
		info := p.offer(wants(capability.LLM))
		if status, text := p.ask(info, p.pay(info, 4), "Count.", 3); status == 200 ||
			!strings.Contains(text, "Insufficient balance") {
			t.Errorf("a gateway that owes: %d %s", status, text)
		}
	}
	info := p.offer(wants(capability.LLM))
	if status, text := p.ask(info, p.pay(info, tickets(info, 420_000_000_000)), "Count.", 3); status != 200 {
		t.Errorf("a gateway that pays what it owes: %d %s", status, text)
	}
}
