package registry_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

func wantList(t *testing.T, d *registry.Directory, want ...string) {
	t.Helper()
	synctest.Wait()
	got, err := d.List(t.Context())
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("list %v, %v; want %v", got, err, want)
	}
}

func TestListsTheActiveSet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		notYet, none, bad, path := member(3, 9), member(4, 9), member(5, 9), member(6, 9)
		notYet.Active, none.ServiceURI, bad.ServiceURI, path.ServiceURI = false, "", "ftp://x", "https://x.example:1/path"
		c := newChain(member(1, 100), member(2, 50), notYet, none, bad, path)
		d, log, stop := running(t, c)
		defer stop()
		wantList(t, d, uriOf(1), uriOf(2))
		known, read, err := d.Snapshot()
		if err != nil || read.IsZero() || len(known) != 2 {
			t.Fatalf("%v %v %v", known, read, err)
		}
		k := known[0]
		if k.URI != uriOf(1) || k.Owner != addr(1) || k.Stake.Cmp(core.LPTTokens(100)) != 0 ||
			k.Price.RatString() != "120" || k.LastAnswer.IsZero() {
			t.Errorf("%+v", k)
		}
		for _, account := range []core.Address{addr(4), addr(5), addr(6)} {
			if !strings.Contains(log.String(), account.String()) {
				t.Errorf("%s was left out without a word", account)
			}
		}
	})
}

func TestEventsCauseARead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChain(member(1, 100))
		d, _, stop := running(t, c)
		defer stop()
		wantList(t, d, uriOf(1))
		c.set(func() { c.pool = []protocol.Orchestrator{member(2, 1)} })
		c.tell(protocol.HeadSeen{})
		wantList(t, d, uriOf(1))
		c.tell(protocol.RoundSeen{})
		wantList(t, d, uriOf(2))
		c.set(func() { c.pool = append(c.pool, member(1, 1)) })
		pass(10*time.Minute + time.Second)
		wantList(t, d, uriOf(1), uriOf(2))
	})
}

func TestKeepsTheListWhileTheChainIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChain(member(1, 100))
		c.err = errors.New("no endpoint")
		d, _, stop := running(t, c)
		defer stop()
		synctest.Wait()
		if got, err := d.List(t.Context()); len(got) != 0 || fault.CodeOf(err) != fault.RegistryUnread {
			t.Errorf("before the first reading: %v, %v", got, err)
		}
		c.set(func() { c.err = nil })
		pass(16 * time.Second)
		wantList(t, d, uriOf(1))
		c.set(func() { c.err, c.pool = errors.New("no endpoint"), nil })
		c.tell(protocol.RoundSeen{})
		synctest.Wait()
		if got, err := d.List(t.Context()); !slices.Equal(got, []string{uriOf(1)}) ||
			fault.CodeOf(err) != fault.RegistryUnread {
			t.Errorf("%v, %v: the list of before is kept", got, err)
		}
	})
}

func TestSurveysAndForgetsTheSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChain(member(1, 100), member(2, 50))
		c.answer[uriOf(2)] = nil
		d, _, stop := running(t, c)
		defer stop()
		wantList(t, d, uriOf(1), uriOf(2)) // it has a day
		if _, n := c.count(uriOf(1)); n != 1 {
			t.Errorf("asked %d times at the start", n)
		}
		pass(26 * time.Minute)
		synctest.Wait()
		if _, n := c.count(uriOf(1)); n != 2 {
			t.Errorf("asked %d times after 26 minutes", n)
		}
		pass(24 * time.Hour)
		wantList(t, d, uriOf(1))
		c.set(func() { c.answer[uriOf(2)] = infoOf(uriOf(2), addr(2)) })
		pass(40 * time.Minute)
		wantList(t, d, uriOf(1), uriOf(2))
	})
}

func TestFurtherNodes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChain(member(1, 100), member(2, 50))
		nodes := []string{"https://n1.example:1", "https://n2.example:1", "no address at all/", uriOf(1),
			"https://n2.example:1", "https://n3.example:1"}
		c.answer[uriOf(1)].Nodes = nodes
		deeper := infoOf("https://n1.example:1", addr(1))
		deeper.Nodes = []string{"https://deeper.example:1"}
		c.answer["https://n1.example:1"] = deeper
		c.answer[uriOf(2)].Nodes = []string{"https://m1.example:1"}
		d, _, stop := running(t, c, func(o *registry.Options) { o.ExtraNodes = 2 })
		defer stop()
		wantList(t, d, "https://m1.example:1", "https://n1.example:1", "https://n2.example:1", uriOf(1), uriOf(2))
		if o, err := d.OwnerOf("https://n1.example:1", deeper); err != nil || o.Address != addr(1) {
			t.Errorf("%+v, %v: a further node has its owner's stake", o, err)
		}
		if _, err := d.OwnerOf("https://m1.example:1", deeper); fault.CodeOf(err) != fault.OrchestratorUnregistered {
			t.Errorf("%v: a further node with another's account", err)
		}
		c.set(func() { c.pool = c.pool[1:] })
		c.tell(protocol.PoolSeen{})
		wantList(t, d, "https://m1.example:1", uriOf(2))
	})
}

func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pool []protocol.Orchestrator
		for i := range 3000 {
			o := member(1, 1)
			o.ServiceURI, o.Address = fmt.Sprintf("https://o%d.example:1", i), core.Address{0: byte(i), 1: byte(i >> 8), 2: 1}
			pool = append(pool, o)
		}
		d, _, stop := running(t, newChain(pool...), func(o *registry.Options) { o.ExtraNodes = 10 })
		defer stop()
		synctest.Wait()
		if got, _ := d.List(t.Context()); len(got) != 1024 {
			t.Errorf("%d service addresses are known", len(got))
		}
	})
}

func TestOwnerOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rich, twin := member(1, 1000), member(3, 5)
		twin.ServiceURI = uriOf(2)
		d, _, stop := running(t, newChain(rich, member(2, 10), twin))
		defer stop()
		synctest.Wait()
		hot := infoOf(uriOf(1), addr(1))
		hot.Address = bytesOf(addr(77)) // another key signs
		cold := infoOf(uriOf(1), addr(1))
		cold.TicketParams.Recipient = bytesOf(addr(78))
		poser := infoOf(uriOf(2), addr(2)) // to be paid to another one, at the other one's address
		poser.Address = bytesOf(addr(1))
		relay := infoOf(uriOf(2), addr(2)) // another one is to be paid
		relay.TicketParams.Recipient = bytesOf(addr(1))
		for name, row := range map[string]struct {
			asked string
			info  upstream.Info
			want  core.Address
		}{
			"its own":              {uriOf(1), infoOf(uriOf(1), addr(1)), addr(1)},
			"another key signs":    {uriOf(1), hot, addr(1)},
			"another one is paid":  {uriOf(1), cold, addr(1)},
			"with another's stake": {uriOf(2), infoOf(uriOf(2), addr(1)), core.Address{}},
			"of two at one place":  {uriOf(2), infoOf(uriOf(2), addr(3)), addr(3)},
			"nobody's":             {uriOf(1), infoOf(uriOf(1), addr(9)), core.Address{}},
			"at another's address": {uriOf(1), poser, core.Address{}},
			"another's tickets":    {uriOf(2), relay, core.Address{}},
			"at a further address": {uriOf(1), infoOf("https://further.example:1", addr(1)), addr(1)},
			"by its own address":   {"https://other.example:1", infoOf("https://other.example:1", addr(1)), addr(1)},
			"nobody anywhere":      {"https://other.example:1", infoOf("https://other.example:1", addr(9)), core.Address{}},
		} {
			got, err := d.OwnerOf(row.asked, row.info)
			if got.Address != row.want || (err == nil) == row.want.IsZero() || err != nil &&
				fault.CodeOf(err) != fault.OrchestratorUnregistered {
				t.Errorf("%s: %+v, %v; want %s", name, got, err, row.want)
			}
		}
	})
}

func TestTerms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, _, stop := running(t, newChain(member(1, 1000), member(2, 10)))
		defer stop()
		synctest.Wait()
		for name, row := range map[string]struct {
			change func(upstream.Info)
			want   fault.Code
		}{
			"good":           {func(upstream.Info) {}, ""},
			"free":           {func(i upstream.Info) { i.PriceInfo.PricePerUnit = 0 }, ""},
			"no address":     {func(i upstream.Info) { i.Address = nil }, fault.OrchestratorUnusable},
			"no params":      {func(i upstream.Info) { i.TicketParams = nil }, fault.OrchestratorUnusable},
			"no price":       {func(i upstream.Info) { i.PriceInfo = nil }, fault.OrchestratorUnusable},
			"negative":       {func(i upstream.Info) { i.PriceInfo.PricePerUnit = -1 }, fault.OrchestratorUnusable},
			"per nothing":    {func(i upstream.Info) { i.PriceInfo.PixelsPerUnit = 0 }, fault.OrchestratorUnusable},
			"another's door": {func(i upstream.Info) { i.Transcoder = uriOf(2) }, fault.OrchestratorUnregistered},
			"as one writes":  {func(i upstream.Info) { i.Transcoder = uriOf(2) + "/" }, fault.OrchestratorUnregistered},
			"no door":        {func(i upstream.Info) { i.Transcoder = "https://" }, fault.OrchestratorUnusable},
			"its other door": {func(i upstream.Info) { i.Transcoder = "https://new.example:1" }, ""},
		} {
			info := infoOf(uriOf(1), addr(1))
			row.change(info)
			if err := d.CheckTerms(info); err == nil && row.want != "" || err != nil && fault.CodeOf(err) != row.want {
				t.Errorf("%s: %v, want %q", name, err, row.want)
			}
			err := d.CheckPayments(upstream.FreePayments{}).Usable(info)
			if (err == nil) != (row.want == "") {
				t.Errorf("%s: guarded: %v", name, err)
			}
		}
	})
}

func TestFixedOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChain(member(1, 1000))
		c.err = errors.New("no endpoint")
		mine := "https://mine.example:1"
		d, _, stop := running(t, c, func(o *registry.Options) { o.Fixed = []string{mine} })
		defer stop()
		if got, err := d.List(t.Context()); !slices.Equal(got, []string{mine}) && err == nil {
			t.Errorf("%v, %v", got, err)
		}
		c.set(func() { c.err = nil })
		pass(20 * time.Second)
		wantList(t, d, mine)
		if o, err := d.OwnerOf(mine, infoOf(mine, addr(1))); err != nil || o.Registered ||
			o.Stake.Cmp(core.LPTTokens(1000)) != 0 {
			t.Errorf("%+v, %v: stake counts for named ones too", o, err)
		}
		if o, err := d.OwnerOf(mine, infoOf(mine, addr(9))); err != nil || !o.Stake.IsZero() {
			t.Errorf("%+v, %v: one without stake may be named", o, err)
		}
	})
}

func TestNamedOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChain(member(1, 1000))
		one, two := "https://one.example:1", "https://two.example:1"
		c.answer[one] = infoOf(one, addr(1))
		d, _, stop := running(t, c, func(o *registry.Options) { o.Named = true })
		defer stop()
		wantList(t, d)
		d.Use([]string{one, two})
		wantList(t, d, one, two)
		if _, n := c.count(one); n != 1 {
			t.Errorf("asked %d times once it was named", n)
		}
		if o, err := d.OwnerOf(one, c.answer[one]); err != nil || o.Stake.Cmp(core.LPTTokens(1000)) != 0 {
			t.Errorf("%+v, %v", o, err)
		}
		d.Use([]string{two})
		wantList(t, d, two)
	})
	synctest.Test(t, func(t *testing.T) {
		d, _, stop := running(t, newChain(member(1, 1)))
		defer stop()
		d.Use([]string{"https://one.example:1"})
		wantList(t, d, uriOf(1))
	})
}
