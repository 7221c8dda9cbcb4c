package byoc_test

import (
	"encoding/base64"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/byoc"
)

const registration = `{"name":"demo","description":"d","url":"http://h:9100/base?q#f","capacity":2,"price_per_unit":7,
	"price_scaling":2,"currency":"wei","token":"t"}`

func TestRegistrations(t *testing.T) {
	t.Parallel()
	c, err := byoc.ParseRegistration([]byte(registration))
	if err != nil || c.Name != "demo" || c.Capacity != 2 || c.URL.String() != "http://h:9100/base" ||
		c.Token.Reveal() != "t" {
		t.Fatal(c, err)
	}
	wei := func(u core.UnitPrice) (*big.Rat, bool) { return u.WeiPerPixel() }
	if p, err := c.Wei(wei); err != nil || p.PerUnit != 7 || p.PixelsPerUnit != 2 {
		t.Error(p, err)
	}
	for change, text := range map[string]string{
		`"name":"demo"`: `"name":" demo"`, `"url":"http`: `"url":"ftp`, `"url":"http://h`: `"url":"http://u:p@h`,
		`"capacity":2`: `"capacity":0`, `"price_per_unit":7`: `"price_per_unit":-7`, `"currency":"wei"`: `"currency":"w e"`,
		`"token":"t"`: `"token":"t\r\n"`, `"description":"d"`: `"description":"` + strings.Repeat("d", 5000) + `"`,
	} {
		if _, err := byoc.ParseRegistration([]byte(strings.Replace(registration, change, text, 1))); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	dollars, err := byoc.ParseRegistration([]byte(strings.Replace(registration, `"wei"`, `"USD"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dollars.Wei(wei); err == nil {
		t.Error("a price without a rate")
	}
	tiny := func(core.UnitPrice) (*big.Rat, bool) {
		return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil)), true
	}
	if p, err := dollars.Wei(tiny); err == nil {
		t.Error("a price that is rounded to nothing: ", p)
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	c, err := byoc.ParseRegistration([]byte(registration))
	if err != nil {
		t.Fatal(err)
	}
	r := byoc.NewRegistry()
	if r.Take("demo") != nil {
		t.Fatal("a slot of none")
	}
	if err := r.Put(c); err != nil {
		t.Fatal(err)
	}
	a, b := r.Take("demo"), r.Take("demo")
	if a == nil || b == nil || r.Take("demo") != nil {
		t.Fatal("not two slots")
	}
	c.Capacity = 3
	if err := r.Put(c); err != nil {
		t.Fatal(err)
	}
	if _, free, _ := r.Find("demo"); free != 1 {
		t.Error(free, "slots are free after another registration")
	}
	a.Give()
	a.Give()
	if _, free, _ := r.Find("demo"); free != 2 || r.Used() != 1 {
		t.Error(free, "slots are free after one was given back twice")
	}
	other := c
	other.Token = core.NewSecret("new")
	if r.RemoveIf(&other) || !r.RemoveIf(&c) || r.Take("demo") != nil {
		t.Error("removed by another one's failure")
	}
	b.Give()
	if err := r.AwaitIdle(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	const job = `{"id":"j","request":"{\"stream_id\":\"s\"}","parameters":"{\"enable_video_egress\":true}",
		"capability":"demo","sender":"0x0000000000000000000000000000000000000001","sig":"0x11","timeout_seconds":5}`
	parse := func(text string) (*byoc.Job, error) {
		return byoc.ParseJob(base64.StdEncoding.EncodeToString([]byte(text)))
	}
	j, err := parse(job)
	if err != nil || j.Timeout != 5*time.Second {
		t.Fatal(j, err)
	}
	if d, err := j.Details(); err != nil || d.StreamID != "s" {
		t.Error(d, err)
	}
	if m, err := j.Media(); err != nil || !m.Output || m.Input || m.Data {
		t.Error(m, err)
	}
	for change, text := range map[string]string{
		`"sender":"0x`: `"sender":"0y`, `"sig":"0x11"`: `"sig":"0x1"`, `"capability":"demo"`: `"capability":"a\nb"`,
		`"timeout_seconds":5`: `"timeout_seconds":-5`,
	} {
		if _, err := parse(strings.Replace(job, change, text, 1)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	long := strings.Replace(job, `_seconds":5`, `_seconds":9223372036854775807`, 1)
	if j, err := parse(long); err != nil || j.Timeout != byoc.MaxTimeout {
		t.Error(j, err)
	}
	for _, text := range []string{"", "0", "null", `"x"`, "[]", "{", "0x1"} {
		j.Request = text
		if _, err := j.Details(); err == nil {
			t.Errorf("%q is an object", text)
		}
	}
}
