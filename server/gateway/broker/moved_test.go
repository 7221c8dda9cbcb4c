package broker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// claims says what service URI it names, with a token that outlives the test's clock.
func (o *orchestrator) claims(uri string) {
	o.offers(func(i *rpc.OrchestratorInfo) {
		i.Transcoder, i.AuthToken.Expiration = uri, time.Now().Add(1000*time.Hour).Unix()
	})
}

// tokens is under how many tokens jobs came.
func (o *orchestrator) tokens() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := map[string]bool{}
	for _, h := range o.headers {
		all[h.Get("Livepeer-Segment")] = true
	}
	return len(all)
}

// known are the service URIs in the choice.
func (s *setup) known() map[string]bool {
	uris := map[string]bool{}
	for _, st := range s.Pools()[0].Statuses {
		uris[st.Offer.URI] = true
	}
	return uris
}

// refreshed waits for one more discovery of each.
func (s *setup) refreshed(t *testing.T, over ...*orchestrator) {
	t.Helper()
	for _, o := range over {
		asked, _ := o.counts()
		eventually(t, "it gets the request", func() bool {
			s.clock.Forward(time.Second)
			s.mustAsk(t)
			n, _ := o.counts()
			return n > asked
		})
	}
}

func often(o *broker.Options, up *upstream.Options) {
	o.RefreshEvery = time.Second
	// A job for an address where no node listens goes to another orchestrator.
	o.RetryWindow = time.Minute
}

func TestWhereAnAddressLedBeforeIsForgotten(t *testing.T) {
	t.Parallel()
	moves, stays := fake(t, "moves"), fake(t, "stays")
	s := start(t, often, moves, stays)
	eventually(t, "both are known", func() bool {
		s.clock.Forward(time.Second)
		s.mustAsk(t)
		return len(s.known()) == 2
	})
	for i := range 30 {
		uri := fmt.Sprintf("https://127.0.0.%d:1", i+1)
		moves.claims(uri)
		s.refreshed(t, moves)
		// An older answer may be read after the newer one; the next discovery mends it.
		eventually(t, "the new address is taken", func() bool {
			if !s.known()[uri] {
				s.refreshed(t, moves)
			}
			return s.known()[uri]
		})
		if known := s.known(); len(known) > 2 || !known[stays.uri] {
			t.Fatalf("after %d moves: %v", i+1, known)
		}
	}
	moves.claims(moves.uri)
	eventually(t, "it is back", func() bool {
		s.refreshed(t, moves)
		text, _ := s.mustAsk(t)
		return text == `{"moves":1}`
	})
}

func TestASessionStaysWhileAnAddressLeadsToIt(t *testing.T) {
	t.Parallel()
	a, alias := fake(t, "a"), fake(t, "alias")
	a.claims(a.uri)
	alias.claims(a.uri)
	s := start(t, often, a)
	s.mustAsk(t) // a itself leads to it from here on
	s.use(a, alias)
	// The alias is the last to have answered, then the first.
	s.refreshed(t, a, alias, a, alias)
	alias.claims(alias.uri)
	eventually(t, "the alias is an orchestrator of its own", func() bool {
		s.refreshed(t, alias)
		return s.known()[alias.uri]
	})
	if known := s.known(); !known[a.uri] || len(known) != 2 {
		t.Errorf("%v", known)
	}
	for range 10 {
		s.mustAsk(t)
	}
	if n := a.tokens(); n != 1 {
		t.Errorf("its session was forgotten: jobs came under %d tokens", n)
	}
}

func TestAnAliasThatIsLostTakesNothingAlong(t *testing.T) {
	t.Parallel()
	a, alias := fake(t, "a"), fake(t, "alias")
	a.claims(a.uri)
	alias.claims(a.uri)
	s := start(t, often, a)
	s.mustAsk(t) // a itself leads to it from here on
	s.use(a, alias)
	s.refreshed(t, a, alias)
	alias.lacks()
	s.refreshed(t, a, alias, a, alias, a, alias)
	s.use(a)
	s.refreshed(t, a, a)
	if known := s.known(); !known[a.uri] || len(known) != 1 {
		t.Errorf("%v", known)
	}
	if n := a.tokens(); n != 1 {
		t.Errorf("its session was forgotten: jobs came under %d tokens", n)
	}
}

// TestAnothersAddressIsNotTakenOver: an orchestrator that names the address of another one has
// none of the other one's jobs done under its own terms, in whatever order they answer.
func TestAnothersAddressIsNotTakenOver(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} {
		a, poser := fake(t, "a"), fake(t, "poser").foreign()
		a.claims(a.uri)
		poser.offers(func(i *rpc.OrchestratorInfo) {
			i.Transcoder, i.AuthToken.Token = a.uri, []byte{99}
			i.AuthToken.Expiration = time.Now().Add(1000 * time.Hour).Unix()
		})
		s := start(t, often, map[bool]*orchestrator{true: poser, false: a}[early])
		if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err == nil == early {
			t.Fatalf("poser first: %v: %v", early, err)
		}
		s.use(a, poser)
		eventually(t, "the other one is known by its own word", func() bool {
			s.clock.Forward(time.Minute)
			_, _, err := s.ask(t.Context(), chat(), broker.Hint{})
			return err == nil
		})
		for range 10 {
			s.refreshed(t, a, poser)
		}
		if n := a.tokens(); n != 1 {
			t.Errorf("poser first: %v: jobs came under %d tokens", early, n)
		}
	}
}
