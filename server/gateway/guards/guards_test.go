package guards_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

// TestMain is a guard program where its first argument asks for one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard-program" {
		programMain()
		return
	}
	goleak.VerifyTestMain(m)
}

// programMain passes requests, and does what their user field says: ends, is silent, writes no JSON or more than one
// verdict, or waits until a connection to an address ends.
func programMain() {
	in := bufio.NewReader(os.Stdin)
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch {
		case strings.Contains(line, "end-now"):
			return
		case strings.Contains(line, "be-silent"):
			_, _ = io.Copy(io.Discard, in)
			return
		case strings.Contains(line, "write-noise"):
			fmt.Println("noise")
			continue
		case strings.Contains(line, "write-two"):
			fmt.Println(`{"action":"pass"}` + "\n" + `{"action":"refuse"}`)
			continue
		}
		if _, after, ok := strings.Cut(line, "wait-for "); ok {
			address, _, _ := strings.Cut(after, `"`)
			if c, err := net.Dial("tcp", address); err == nil {
				_, _ = io.Copy(io.Discard, c)
			}
		}
		fmt.Printf("{\"action\":\"pass\",\"annotations\":{\"n\":\"%d\",\"secret\":\"%s\"}}\n", n,
			os.Getenv("TUTTI_TEST_SECRET"))
	}
}

func parse(t *testing.T, text string) []guards.Spec {
	t.Helper()
	specs, err := guards.ParseFile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return specs
}

func question(body string) guards.Question {
	return guards.Question{Stage: guards.StageRequest, RequestID: "r-1", Route: "/llm", Model: "m/llama",
		Key: "team", Body: json.RawMessage(body)}
}

// service is a guard that gives the verdicts of a test and keeps the questions.
type service struct {
	mu        sync.Mutex
	questions []guards.Question
	headers   []http.Header
}

func (s *service) start(t *testing.T, verdict func(q guards.Question) (int, string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q guards.Question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		s.questions, s.headers = append(s.questions, q), append(s.headers, r.Header)
		s.mu.Unlock()
		status, text := verdict(q)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func says(text string) func(guards.Question) (int, string) {
	return func(guards.Question) (int, string) { return http.StatusOK, text }
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Guards see one another's changes, and what one refuses the next is not asked about.
func TestGuardsInOrder(t *testing.T) {
	t.Parallel()
	var first, second service
	a := first.start(t, func(q guards.Question) (int, string) {
		if strings.Contains(string(q.Body), "bad") {
			return http.StatusOK, `{"action":"refuse","message":"not that word"}`
		}
		return http.StatusOK, `{"action":"replace","body":{ "messages": [] },"annotations":{"kind":"größe 🙂"}}`
	})
	b := second.start(t, says(`{"action":"pass"}`))
	g := guards.New(parse(t, `{"guards":[{"name":"a","url":"`+a+`","headers":{"Authorization":"Bearer s"}},`+
		`{"name":"b","url":"`+b+`"}]}`), quiet())
	defer g.Close()
	r, err := g.Check(t.Context(), question(`{"messages":["x"]}`))
	if err != nil || !r.Replaced || string(r.Body) != `{"messages":[]}` {
		t.Fatalf("%v %+v", err, r)
	}
	if got := string(second.questions[0].Body); got != `{"messages":[]}` {
		t.Errorf("the second guard saw %s", got)
	}
	if got := first.headers[0].Get("Authorization"); got != "Bearer s" {
		t.Errorf("Authorization %q", got)
	}
	header := guards.Header(r.Annotations)
	var back map[string]map[string]string
	if err := json.Unmarshal([]byte(header), &back); err != nil || back["a"]["kind"] != "größe 🙂" {
		t.Errorf("%v: %s", err, header)
	}
	if strings.ContainsFunc(header, func(r rune) bool { return r > 126 || r < 32 }) {
		t.Errorf("a header that is not ASCII: %q", header)
	}
	_, err = g.Check(t.Context(), question(`{"messages":["bad"]}`))
	if code := fault.CodeOf(err); code != fault.GuardRefused || !strings.Contains(err.Error(), "not that word") {
		t.Errorf("%v", err)
	}
	if len(second.questions) != 1 {
		t.Errorf("the second guard was asked %d times", len(second.questions))
	}
}

// A guard without a verdict refuses, or passes where the file permits it.
func TestGuardThatFails(t *testing.T) {
	t.Parallel()
	for name, verdict := range map[string]func(guards.Question) (int, string){
		"status":       func(guards.Question) (int, string) { return http.StatusBadGateway, `{"action":"pass"}` },
		"no JSON":      says("yes"),
		"no action":    says(`{}`),
		"long":         says(`{"action":"pass","message":"` + strings.Repeat("x", 70<<10) + `"}`),
		"no object":    says(`{"action":"replace","body":[]}`),
		"more":         says(`{"action":"more"}`),
		"redirection":  func(guards.Question) (int, string) { return http.StatusFound, "" },
		"annotations":  says(`{"action":"pass","annotations":{"a":"` + strings.Repeat("x", 300) + `"}}`),
		"other values": says(`{"action":7}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s service
			url := s.start(t, verdict)
			text := `{"guards":[{"name":"a","url":"` + url + `"}]}`
			g := guards.New(parse(t, text), quiet())
			defer g.Close()
			if _, err := g.Check(t.Context(), question(`{}`)); fault.CodeOf(err) != fault.GuardFailed {
				t.Errorf("%v", err)
			}
			open := guards.New(parse(t, strings.Replace(text, `"a",`, `"a","on_failure":"pass",`, 1)), quiet())
			defer open.Close()
			if r, err := open.Check(t.Context(), question(`{}`)); err != nil || r.Replaced {
				t.Errorf("%v", err)
			}
		})
	}
}

// A client that leaves is no failure of the guard.
func TestClientThatLeaves(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var s service
	url := s.start(t, func(guards.Question) (int, string) {
		cancel()
		return http.StatusOK, "noise"
	})
	g := guards.New(parse(t, `{"guards":[{"name":"a","url":"`+url+`"}]}`), quiet())
	defer g.Close()
	if _, err := g.Check(ctx, question(`{}`)); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("%v", err)
	}
}

// A program answers a line for each question, is started again after its end, and is ended when it is silent.
func TestProgram(t *testing.T) {
	t.Setenv("TUTTI_TEST_SECRET", "hidden")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := guards.New(parse(t, fmt.Sprintf(`{"guards":[{"name":"p","program":[%q,"guard-program"],"concurrency":1,
		"timeout":"30s"}]}`, self)), quiet())
	defer g.Close()
	for _, n := range []string{"0", "1"} {
		r, err := g.Check(t.Context(), question(`{}`))
		if err != nil || r.Annotations["p"]["n"] != n || r.Annotations["p"]["secret"] != "" {
			t.Fatalf("question %s: %v %v", n, err, r.Annotations)
		}
	}
	// What writes something else than one verdict is started again: a line too many would be that of the next client.
	for _, text := range []string{`"end-now"`, `"write-noise"`, `"write-two"`} {
		if _, err := g.Check(t.Context(), question(`{"user":`+text+`}`)); fault.CodeOf(err) != fault.GuardFailed {
			t.Errorf("%s: %v", text, err)
		}
		if r, err := g.Check(t.Context(), question(`{}`)); err != nil || r.Annotations["p"]["n"] != "0" {
			t.Errorf("after %s: %v %v", text, err, r.Annotations)
		}
	}
	slow := guards.New(parse(t, fmt.Sprintf(`{"guards":[{"name":"p","program":[%q,"guard-program"],
		"timeout":"50ms"}]}`, self)), quiet())
	defer slow.Close()
	if _, err := slow.Check(t.Context(), question(`{"user":"be-silent"}`)); fault.CodeOf(err) != fault.GuardFailed {
		t.Errorf("%v", err)
	}
}

// Clients that leave end no program, whose next start may take longer than its timeout.
func TestClientsThatLeaveEndNoProgram(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	g := guards.New(parse(t, fmt.Sprintf(`{"guards":[{"name":"p","program":[%q,"guard-program"],"concurrency":1,
		"timeout":"30s"}]}`, self)), quiet())
	defer g.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := g.Check(ctx, question(`{"user":"wait-for `+l.Addr().String()+`"}`))
		ended <- err
	}()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	c.Close()
	<-ended
	if r, err := g.Check(t.Context(), question(`{}`)); err != nil || r.Annotations["p"]["n"] != "1" {
		t.Errorf("%v %v", err, r.Annotations)
	}
}

func TestCover(t *testing.T) {
	t.Parallel()
	g := guards.New(parse(t, `{"guards":[
		{"name":"a","url":"http://x/","stages":["answer"],"models":["m/*"],"keys":["team"],"events":8},
		{"name":"b","url":"http://x/","stages":["answer"],"models":["m/llama"],"events":4}]}`), quiet())
	defer g.Close()
	for _, tt := range []struct {
		stage      guards.Stage
		model, key string
		events     int
		ok         bool
	}{
		{guards.StageAnswer, "m/llama", "team", 4, true},
		{guards.StageAnswer, "m/other", "team", 8, true},
		{guards.StageAnswer, "m/other", "", 0, false},
		{guards.StageRequest, "m/llama", "team", 0, false},
	} {
		if events, ok := g.Cover(tt.stage, tt.key, tt.model); events != tt.events || ok != tt.ok {
			t.Errorf("%+v: %d %v", tt, events, ok)
		}
	}
	if _, ok := (*guards.Guards)(nil).Cover(guards.StageRequest, "", "m"); ok {
		t.Error("no guards cover something")
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                        "guards: the list is empty",
		`{"guards":[{}]}`:           "name",
		`{"guards":[{"name":"a"}]}`: "url or program",
		`{"guards":[{"name":"a","url":"ftp://x"}]}`:                                  "url",
		`{"guards":[{"name":"a","url":"http://u:p@x/"}]}`:                            "headers",
		`{"guards":[{"name":"a","program":["guard"]}]}`:                              "whole path",
		`{"guards":[{"name":"a","url":"http://x/","stages":["stream"]}]}`:            "stages",
		`{"guards":[{"name":"a","url":"http://x/","timeout":"2h"}]}`:                 "timeout",
		`{"guards":[{"name":"a","url":"http://x/","on_failure":"open"}]}`:            "on_failure",
		`{"guards":[{"name":"a","url":"http://x/","events":2000}]}`:                  "events",
		`{"guards":[{"name":"a","url":"http://x/","concurrency":-1}]}`:               "concurrency",
		`{"guards":[{"name":"a","url":"http://x/","fail":"x"}]}`:                     "unknown field",
		`{"guards":[{"name":"a","url":"http://x/"},{"name":"a","url":"http://x/"}]}`: "another guard has it",
		`{"guards":[{"name":"a","url":"http://x/"}]} x`:                              "something follows",
	} {
		if _, err := guards.ParseFile([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "guards.json")
	text := `{"guards":[{"name":"a","url":"http://x/","headers":{"Authorization":"Bearer very-secret"}}]}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := guards.ReadFile(path)
	if fault.CodeOf(err) != fault.GuardFileInvalid || !strings.Contains(err.Error(), "chmod 600") ||
		strings.Contains(err.Error(), "very-secret") {
		t.Errorf("%v", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if specs, err := guards.ReadFile(path); err != nil || len(specs) != 1 {
		t.Errorf("%v", err)
	}
}
