package config_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

// checkInvariants holds for every input: no panic, every problem is one
// printable line with a code and text, and the same input gives the same answer.
func checkInvariants(t *testing.T, in config.Input) {
	c, notices, err := config.Load(in)
	if c == nil {
		t.Fatal("no configuration is returned")
	}
	if err != nil {
		problems, ok := errors.AsType[config.Problems](err)
		if !ok || len(problems) == 0 {
			t.Fatalf("the error is %T %v", err, err)
		}
		for _, p := range problems {
			if p.Code == "" || p.Text == "" || strings.ContainsAny(p.Error(), "\n\r\x00\x1b") {
				t.Fatalf("a problem is not one clean line: %q", p.Error())
			}
		}
	}
	for _, n := range notices {
		if n.Text == "" || strings.ContainsAny(n.String(), "\n\r\x00\x1b") {
			t.Fatalf("a notice is not one clean line: %q", n)
		}
	}
	if err == nil && !c.Process.Informational() && c.Roles == (config.Roles{}) {
		t.Fatal("a configuration without role is valid")
	}
	again, _, err2 := config.Load(in)
	var one, two bytes.Buffer
	_ = (&config.Check{Config: c, Notices: notices, Problems: err, All: true}).WriteText(&one)
	_ = (&config.Check{Config: again, Notices: notices, Problems: err2, All: true}).WriteText(&two)
	if one.String() != two.String() {
		t.Fatalf("two answers:\n%s\n%s", one.String(), two.String())
	}
	_ = config.WriteTable(&one, c)
}

func FuzzFile(f *testing.F) {
	for _, x := range fixtures(f) {
		f.Add(x.content)
	}
	f.Add([]byte("\ufeffmaxSessions\u00a012\r\n\x00\n#\n # x\nethUrl\thttps://a/b # c\nv"))
	f.Fuzz(func(t *testing.T, content []byte) {
		in := input("-config", "node.conf")
		in.ReadFile = files(map[string]string{"node.conf": string(content)})
		checkInvariants(t, in)
	})
}

func FuzzArgs(f *testing.F) {
	for _, x := range fixtures(f) {
		f.Add(strings.Join(x.args, "\n"))
	}
	for _, x := range existingFlags(f) {
		f.Add("-orchestrator\n-transcoder\n-" + x.name + "=" + x.value)
	}
	f.Add("-\n--\n---\n-=\n--=x\n-v=\n-v\n")
	f.Fuzz(func(t *testing.T, args string) { checkInvariants(t, input(strings.Split(args, "\n")...)) })
}

func FuzzEnviron(f *testing.F) {
	for _, x := range fixtures(f) {
		f.Add(strings.Join(x.env, "\n"))
	}
	f.Add("LP_V=6\nTUTTI_MAX_SESSIONS=\n=x\nTUTTI_\nLP_=y\nTUTTI_MAXSESION=2")
	f.Fuzz(func(t *testing.T, environ string) {
		in := input(combined...)
		in.Environ = strings.Split(environ, "\n")
		checkInvariants(t, in)
	})
}
