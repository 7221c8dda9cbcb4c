package trickle_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// recording is one recorded request and its answer.
type recording struct {
	What    string `json:"what"`
	Request struct {
		Line    string            `json:"line"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	} `json:"request"`
	Response struct {
		Status  string            `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
		Interim []struct {
			Status string `json:"status"`
			After  int64  `json:"after_ms"`
		} `json:"interim"`
	} `json:"response"`
}

// recorded reads the exchanges of a file by what they are.
func recorded(t *testing.T, file string) (list []recording) {
	t.Helper()
	data, err := os.ReadFile("../../test/vectors/live/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Exchanges []recording `json:"exchanges"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Exchanges
}

const prefix = "/ai/trickle/"

// rig is a hub that serves over a socket.
type rig struct {
	hub  *trickle.Hub
	dial func() (net.Conn, error)
}

func newRig(t *testing.T, limits trickle.Limits, channels ...string) *rig {
	t.Helper()
	g := &rig{hub: trickle.NewHub(limits, time.Now)}
	for _, c := range channels {
		g.hub.Open("", c, "video/MP2T")
	}
	srv := httptest.NewServer(g.hub.Handler(prefix))
	t.Cleanup(srv.Close)
	t.Cleanup(func() {
		for _, c := range channels {
			g.hub.Close(c)
		}
	})
	g.dial = func() (net.Conn, error) { return net.Dial("tcp", srv.Listener.Addr().String()) }
	return g
}

// call is a request on a connection of its own, whose body is sent in pieces.
type call struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	// interim are the statuses of interim answers.
	interim []string
}

// begin sends the head of a request.
func (g *rig) begin(t *testing.T, line string, headers map[string]string) *call {
	t.Helper()
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &call{t: t, conn: conn, in: bufio.NewReader(conn)}
	head := line + "\r\nHost: orch.test:8935\r\n"
	for k, v := range headers {
		head += k + ": " + v + "\r\n"
	}
	c.write(head + "\r\n")
	return c
}

func (g *rig) post(t *testing.T, path string, more ...string) *call {
	t.Helper()
	headers := map[string]string{"Content-Type": "video/MP2T", "Transfer-Encoding": "chunked"}
	for i := 0; i+1 < len(more); i += 2 {
		headers[more[i]] = more[i+1]
	}
	return g.begin(t, "POST "+prefix+path+" HTTP/1.1", headers)
}

func (g *rig) get(t *testing.T, path string) *call {
	t.Helper()
	return g.begin(t, "GET "+prefix+path+" HTTP/1.1", nil)
}

func (g *rig) delete(t *testing.T, path string) *call {
	t.Helper()
	return g.begin(t, "DELETE "+prefix+path+" HTTP/1.1", nil)
}

func (c *call) write(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, s); err != nil {
		c.t.Fatal(err)
	}
}

// send sends one chunk of the body, "" its end.
func (c *call) send(data string) { c.t.Helper(); c.write(fmt.Sprintf("%x\r\n%s\r\n", len(data), data)) }

// answer is an answer in the form of the recordings.
type answer struct {
	status  string
	headers map[string]string
	body    string
}

// head reads the head of the answer, after interim ones.
func (c *call) head() (*http.Response, answer) {
	c.t.Helper()
	_ = c.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		r, err := http.ReadResponse(c.in, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		if r.StatusCode == http.StatusContinue {
			c.interim = append(c.interim, r.Proto+" "+r.Status)
			continue
		}
		a := answer{status: r.Proto + " " + r.Status, headers: make(map[string]string)}
		for k := range r.Header {
			a.headers[k] = r.Header.Get(k)
		}
		delete(a.headers, "Date")
		if len(r.TransferEncoding) > 0 {
			a.headers["Transfer-Encoding"] = "chunked"
		}
		if r.Close {
			a.headers["Connection"] = "close"
		}
		return r, a
	}
}

func (c *call) end() answer {
	c.t.Helper()
	r, a := c.head()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	a.body = string(body)
	return a
}

func (e *recording) check(t *testing.T, got answer) {
	t.Helper()
	want := strings.Trim(string(e.Response.Body), `"`)
	var text string
	if json.Unmarshal(e.Response.Body, &text) == nil {
		want = text
	}
	if got.status != e.Response.Status || !maps.Equal(got.headers, e.Response.Headers) || got.body != want {
		t.Errorf("%s:\n got %q\nwant %q %q %q", e.What, got, e.Response.Status, e.Response.Headers, want)
	}
}

// find is the recording of a description, or of one that begins so.
func find(t *testing.T, list []recording, what string) *recording {
	t.Helper()
	for _, is := range []func(s, what string) bool{func(s, what string) bool { return s == what }, strings.HasPrefix} {
		for i := range list {
			if is(list[i].What, what) {
				return &list[i]
			}
		}
	}
	t.Fatalf("no recording %q", what)
	return nil
}

// The exchanges that follow each other, each on a connection of its own.
func TestRecordedExchanges(t *testing.T) {
	t.Parallel()
	g := newRig(t, trickle.Limits{}, "SID-a", "SID-b")
	for _, e := range recorded(t, "live_trickle.json") {
		if e.What == "" { // "2..7 published"
			for n := 2; n <= 7; n++ {
				p := g.post(t, fmt.Sprint("SID-a/", n))
				p.send(fmt.Sprint("s", n))
				p.send("")
				p.end()
			}
			continue
		}
		if strings.HasPrefix(e.What, "publish 0 in three pieces") {
			return
		}
		headers := maps.Clone(e.Request.Headers)
		if headers == nil {
			headers = make(map[string]string)
		}
		if e.Request.Body != "" || strings.HasPrefix(e.Request.Line, "POST") {
			headers["Content-Length"] = fmt.Sprint(len(e.Request.Body))
		}
		c := g.begin(t, e.Request.Line, headers)
		c.write(e.Request.Body)
		e.check(t, c.end())
	}
}

// until waits for a condition of the server's side.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("not in time: " + what)
		}
		runtime.Gosched()
	}
}

// reads waits until so many requests read a channel.
func (g *rig) reads(t *testing.T, channel string, n int) {
	t.Helper()
	until(t, "readers", func() bool { return g.hub.Channel(channel).Readers() == n })
}

// keeps waits until the segment of a number is there: its publisher or a reader has connected.
func (g *rig) keeps(t *testing.T, channel string, number int64) {
	t.Helper()
	until(t, "the segment", func() bool { return g.hub.Channel(channel).Kept(number) })
}

// expect reads the next bytes of a body.
func expect(t *testing.T, r *http.Response, want string) string {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r.Body, got); err != nil || string(got) != want {
		t.Fatalf("%q, %v, want %q", got, err, want)
	}
	return want
}

// A segment is read while it grows: by a reader that came before it, a late one, and one that is ahead.
func TestRecordedGrowth(t *testing.T) {
	t.Parallel()
	list := recorded(t, "live_trickle.json")
	g := newRig(t, trickle.Limits{}, "SID-c")
	early, ahead := g.get(t, "SID-c/-1"), g.get(t, "SID-c/1")
	g.reads(t, "SID-c", 2)
	p := g.post(t, "SID-c/0")
	p.send("AAAA")
	r, a := early.head()
	a.body = expect(t, r, "AAAA")
	p.send("BBBB")
	a.body += expect(t, r, "BBBB")
	late := g.get(t, "SID-c/0")
	lr, la := late.head()
	la.body = expect(t, lr, "AAAABBBB")
	p.send("CCCC")
	a.body += expect(t, r, "CCCC")
	la.body += expect(t, lr, "CCCC")
	p.send("")
	find(t, list, "publish 0 in three pieces").check(t, p.end())
	for _, x := range []*http.Response{r, lr} {
		if rest, err := io.ReadAll(x.Body); len(rest) > 0 || err != nil {
			t.Errorf("%q, %v", rest, err)
		}
	}
	find(t, list, "reader at -1").check(t, a)
	find(t, list, "late reader of 0").check(t, la)
	next := g.post(t, "SID-c/1")
	next.send("one")
	next.send("")
	find(t, list, "publish 1").check(t, next.end())
	find(t, list, "reader at 1").check(t, ahead.end())
}

// Two publishers of one segment, and one that gives up those before it.
func TestRecordedRivals(t *testing.T) {
	t.Parallel()
	list := recorded(t, "live_trickle.json")
	g := newRig(t, trickle.Limits{}, "SID-d")
	first := g.post(t, "SID-d/0")
	first.send("A")
	r, _ := g.get(t, "SID-d/0").head()
	expect(t, r, "A")
	second := g.post(t, "SID-d/0")
	second.send("x")
	expect(t, r, "x")
	second.send("y")
	second.send("")
	find(t, list, "second POST to 0").check(t, second.end())
	first.send("B")
	first.send("")
	find(t, list, "first POST to 0").check(t, first.end())
	find(t, list, "what a reader gets afterwards").check(t, g.get(t, "SID-d/0").end())

	open := g.post(t, "SID-d/1")
	open.send("A")
	until(t, "the first byte", func() bool { return g.hub.Channel("SID-d").Next() == 2 })
	reader := g.get(t, "SID-d/1")
	g.reads(t, "SID-d", 1)
	reset := g.post(t, "SID-d/2", "Lp-Trickle-Reset", "1")
	find(t, list, "reader of 1").check(t, reader.end())
	reset.send("new")
	reset.send("")
	find(t, list, "POST 2 with Lp-Trickle-Reset").check(t, reset.end())
	open.send("B")
	open.send("")
	find(t, list, "POST 1 stays open").check(t, open.end())
	find(t, list, "bytes sent after the reset").check(t, g.get(t, "SID-d/1").end())
}

// Publishers that connected in advance, and their readers, when the segment or the channel goes away.
func TestRecordedReleases(t *testing.T) {
	t.Parallel()
	list := recorded(t, "live_trickle.json")
	g := newRig(t, trickle.Limits{}, "SID-f", "SID-g")
	for channel, rows := range map[string][3]string{
		"SID-f": {"delete a segment", "reader of that segment", "pre-connected POST whose segment"},
		"SID-g": {"delete a channel", "reader of that channel", "pre-connected POST whose channel"},
	} {
		p := g.post(t, channel+"/0")
		g.keeps(t, channel, 0)
		reader := g.get(t, channel+"/0")
		g.reads(t, channel, 1)
		path := channel
		if channel == "SID-f" {
			path += "/0"
		}
		find(t, list, rows[0]).check(t, g.delete(t, path).end())
		find(t, list, rows[1]).check(t, reader.end())
		find(t, list, rows[2]).check(t, p.end())
	}
	find(t, list, "delete a segment that is not there").check(t, g.delete(t, "SID-f/3").end())
	find(t, list, "next after the delete").check(t, g.get(t, "SID-f/next").end())
	find(t, list, "read after delete").check(t, g.get(t, "SID-g/0").end())
	p := g.begin(t, "POST "+prefix+"SID-g/1 HTTP/1.1", map[string]string{"Content-Length": "1"})
	p.write("x")
	find(t, list, "publish after delete").check(t, p.end())
}

// The segment of a publisher that breaks off is closed, so that its readers go on.
func TestABrokenUploadEndsItsSegment(t *testing.T) {
	t.Parallel()
	list := recorded(t, "live_trickle.json")
	g := newRig(t, trickle.Limits{}, "SID-h")
	first := g.post(t, "SID-h/0", "Expect", "100-continue")
	first.send("abc")
	first.send("")
	expected := find(t, list, "publisher with Expect")
	expected.check(t, first.end())
	if got := first.interim; len(got) != len(expected.Response.Interim) || got[0] != expected.Response.Interim[0].Status {
		t.Errorf("interim answers %q", got)
	}
	p := g.post(t, "SID-h/1")
	p.send("half")
	until(t, "the first byte", func() bool { return g.hub.Channel("SID-h").Next() == 2 })
	reader := g.get(t, "SID-h/1")
	g.reads(t, "SID-h", 1)
	p.conn.Close()
	find(t, list, "reader of a segment whose publisher broke off").check(t, reader.end())
	find(t, list, "delete the broken segment").check(t, g.delete(t, "SID-h/1").end())
}
