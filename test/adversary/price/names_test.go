package price

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/rpc"
)

// others is how many jobs an orchestrator must get while another one uses its names.
const others = 8

// servedByHonest wants all further chats served by the honest orchestrator.
func (w *world) servedByHonest() {
	w.Helper()
	_, _, before := w.honest.books()
	for i := range others {
		if err := w.ask(i); err != nil {
			w.Errorf("job %d: %v", i, err)
		}
	}
	if _, _, after := w.honest.books(); after-before != others {
		w.Errorf("the honest orchestrator did %d of %d jobs", after-before, others)
	}
}

// TestAnothersTicketsAreNotPaid has an orchestrator ask for tickets for another one: it could have the
// parameters made there in the gateway's name, and use the tickets as if it were the gateway.
func TestAnothersTicketsAreNotPaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() {
		w.cheat.info = func(_ string, info *rpc.OrchestratorInfo) {
			info.TicketParams.Recipient = w.honest.account[:]
		}
	})
	try := 0
	w.gateway.Wait("a job at the honest orchestrator", 60*time.Second, func() bool {
		try++
		_ = w.ask(try)
		_, _, n := w.honest.books()
		return n > 0
	})
	w.servedByHonest()
	w.gateway.Wait("a segment", 30*time.Second, func() bool { return w.push("film", 0) == nil })
	if paid, _, jobs := w.cheat.books(); jobs > 0 || paid > 0 {
		t.Errorf("%d jobs with tickets for another one came", jobs)
	}
}

// TestAnothersAccountInTerms has an orchestrator that the operator named, and that may be a node of any
// account, name another one's account as the recipient of its tickets, at a price of nearly nothing, and
// send jobs away once one was paid at that price. The other one is paid at its own price.
func TestAnothersAccountInTerms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.args = []string{"-orchAddr", w.cheat.server.URL + "," + w.honest.server.URL}
	w.kill()
	w.cheat.with(func() {
		w.cheat.price = 1
		w.cheat.info = func(_ string, info *rpc.OrchestratorInfo) {
			info.TicketParams.Recipient = w.honest.account[:]
		}
	})
	// The price of the first payment counts.
	w.honest.with(func() { w.honest.info = func(_ string, info *rpc.OrchestratorInfo) { info.TicketParams = nil } })
	try := 0
	served := func(o *orchestrator) func() bool {
		return func() bool {
			try++
			_ = w.ask(try) // a prompt of before goes to where it was
			_, _, n := o.books()
			return n > 0
		}
	}
	w.gateway.Wait("a job at the cheat", 30*time.Second, served(w.cheat))
	w.cheat.with(func() { w.cheat.cheat = full })
	w.honest.with(func() { w.honest.info = nil })
	w.gateway.Wait("a job at the honest orchestrator", 60*time.Second, served(w.honest))
	w.servedByHonest()
}

// full is the network's answer of an orchestrator without a free slot.
func full(_ int, rw http.ResponseWriter) bool {
	http.Error(rw, "insufficient capacity", http.StatusServiceUnavailable)
	return true
}

// TestAnothersAddressInTerms has an orchestrator say, a moment after another one has answered, that work
// goes to the other one's address, with terms and a token that the other one does not know.
func TestAnothersAddressInTerms(t *testing.T) {
	t.Parallel()
	for name, named := range map[string]bool{"of the chain": false, "of the operator": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if named {
				w.args = []string{"-orchAddr", w.cheat.server.URL + "," + w.honest.server.URL}
				w.kill()
			}
			w.cheat.with(func() { w.cheat.info = w.poses })
			w.honest.with(func() { w.honest.reply = w.refusesForeign })
			w.gateway.Wait("a job at the honest orchestrator", 30*time.Second, func() bool {
				_ = w.ask(0)
				_, _, n := w.honest.books()
				return n > 0
			})
			asked := func() (n int) {
				w.cheat.with(func() { n = w.cheat.asked })
				return n
			}
			before := asked()
			w.gateway.Wait("the cheat to be asked again", 90*time.Second, func() bool {
				_ = w.ask(0)
				return asked() > before+1
			})
			w.servedByHonest()
		})
	}
}

// foreign is the session of tokens that only the cheat knows.
const foreign = "foreign"

// poses makes the cheat's terms those of a node at the honest one's address.
func (w *world) poses(_ string, info *rpc.OrchestratorInfo) {
	<-time.After(200 * time.Millisecond) // the last answer counted
	info.Transcoder, info.TicketParams.Recipient = w.honest.server.URL, w.honest.account[:]
	info.AuthToken.SessionId, info.Node = foreign, "0.1.0"
}

// refusesForeign has the honest one refuse tokens that are not its own.
func (w *world) refusesForeign(rw http.ResponseWriter, r *http.Request, _ []byte) bool {
	meta, err := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
	if err == nil && !strings.HasPrefix(meta.GetAuthToken().GetSessionId(), foreign) {
		return false
	}
	http.Error(rw, "invalid auth token", http.StatusForbidden)
	return true
}
