package admin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

func TestChangesAreWrittenDown(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	st := newStation(t, func(o *admin.Options) { old(o); o.Now = func() time.Time { return at } })
	ask(st.Server, "POST", "/setMaxSessions?maxSessions=5", "")
	st.form("/claimEarnings", "")
	st.form("/unbond", "amount=1")
	st.form("/signMessage", "message=secret+words")
	st.post(adminapi.PathGas, `{"max":"5"}`)
	st.post(adminapi.PathGas, `nonsense`)
	ask(st.Server, "POST", adminapi.PathGas, `{}`) // refused at the door: not in the book
	st.get("/currentRound")
	hash := st.chain.Transactions()[0].Hash.String()
	const head = `{"time":"2026-03-01T12:00:00Z","id":`
	want := []string{
		head + `1,"method":"POST","route":"/setMaxSessions","from":"remote 192.0.2.1","token":false,` +
			`"parameters":{"maxSessions":"5"},"outcome":"begun"}`,
		head + `1,"method":"POST","route":"/setMaxSessions","from":"remote 192.0.2.1","token":false,"outcome":"done",` +
			`"status":200}`,
		head + `2,"method":"POST","route":"/claimEarnings","from":"remote 192.0.2.1","token":false,"parameters":{},` +
			`"outcome":"begun"}`,
		head + `2,"method":"POST","route":"/claimEarnings","from":"remote 192.0.2.1","token":false,"outcome":"done",` +
			`"status":200,"tx":["` + hash + `"]}`,
		head + `3,"method":"POST","route":"/unbond","from":"remote 192.0.2.1","token":false,"parameters":{"amount":"1"},` +
			`"outcome":"begun"}`,
		head + `3,"method":"POST","route":"/unbond","from":"remote 192.0.2.1","token":false,"outcome":"failed",` +
			`"status":500,"code":"StakeMissing"}`,
		head + `4,"method":"POST","route":"/signMessage","from":"remote 192.0.2.1","token":false,` +
			`"parameters":{"message":"12 bytes"},"outcome":"begun"}`,
		head + `4,"method":"POST","route":"/signMessage","from":"remote 192.0.2.1","token":false,"outcome":"done",` +
			`"status":200}`,
		head + `5,"method":"POST","route":"/api/v1/gas","from":"remote 192.0.2.1","token":true,"parameters":{"max":"5"},` +
			`"outcome":"begun"}`,
		head + `5,"method":"POST","route":"/api/v1/gas","from":"remote 192.0.2.1","token":true,"outcome":"done",` +
			`"status":200}`,
		head + `6,"method":"POST","route":"/api/v1/gas","from":"remote 192.0.2.1","token":true,"parameters":"8 bytes that ` +
			`are no JSON object","outcome":"begun"}`,
		head + `6,"method":"POST","route":"/api/v1/gas","from":"remote 192.0.2.1","token":true,"outcome":"failed",` +
			`"status":400,"code":"AdminBadBody"}`,
	}
	got := strings.Split(strings.TrimSpace(st.book(t)), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d of\n%s\nwant\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	log := st.log.String()
	if strings.Contains(log, "secret") || !strings.Contains(log,
		`msg="change made through the admin API" path=/claimEarnings from="remote 192.0.2.1" tx=`) ||
		!strings.Contains(log, hash) {
		t.Errorf("log %s", log)
	}
}

// A book that cannot be opened keeps the API from starting.
func TestBookCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "admin-audit.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := newServer(&node{}, func(o *admin.Options) { o.Access = admin.Access{DataDir: dir} })
	if err := s.Open(); !errors.Is(err, fault.AdminAuditFailed) {
		t.Errorf("%v", err)
	}
}

// broken is a limiter with a defect.
type broken struct{}

func (broken) SetMaxSessions(int) { panic("out of cheese") }

// What broke is written down as broken.
func TestPanicIsWrittenDown(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Node.SetMaxSessions = broken{}.SetMaxSessions })
	got := ask(st.Server, "POST", "/setMaxSessions?maxSessions=77", "", "Authorization", "Bearer "+st.token)
	if got.Code != 500 || !strings.Contains(st.book(t), `"outcome":"failed","status":500,"code":"Unexpected"}`) {
		t.Errorf("%d, book %s", got.Code, st.book(t))
	}
}

func TestSendersAreTold(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Listen = "127.0.0.1:0" })
	client, stop := start(t, st, byAddr)
	defer stop()
	c := &tool{client: client, base: "http://localhost:1"}
	c.post(adminapi.PathSettings)
	if c.err == nil || !strings.Contains(c.err.Error(), "AdminTokenRequired") {
		t.Errorf("%v", c.err)
	}
	loose := newStation(t, func(o *admin.Options) { old(o); o.Listen = "127.0.0.1:0" })
	client, stopLoose := start(t, loose, byAddr)
	defer stopLoose()
	c = &tool{client: client, base: "http://localhost:1"}
	c.post("/setLogLevel", "loglevel", "4")
	if book := loose.book(t); c.err != nil || !strings.Contains(book, `"from":"loopback"`) {
		t.Errorf("%v, %s", c.err, book)
	}
}
