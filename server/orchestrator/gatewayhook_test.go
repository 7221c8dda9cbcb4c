package orchestrator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/test/coretest"
)

// hookService is the operator's: it answers what it is set to, and counts questions.
type hookService struct {
	*httptest.Server
	mu     sync.Mutex
	asked  map[string]int
	status int
	text   string
	// hold, if not nil, keeps answers back until it is closed; entered gets each question.
	hold    chan struct{}
	entered chan string
}

func newHookService(t *testing.T) *hookService {
	t.Helper()
	s := &hookService{asked: make(map[string]int), status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]string
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Method != http.MethodPost || len(in) != 1 {
			t.Errorf("%s %v %v", r.Method, in, err)
		}
		s.mu.Lock()
		s.asked[in["id"]]++
		status, text, hold := s.status, s.text, s.hold
		s.mu.Unlock()
		if hold != nil {
			s.entered <- in["id"]
			<-hold
		}
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *hookService) answers(status int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.text = status, text
}

func (s *hookService) questions(a core.Address) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[a.String()]
}

// newHook is a hook before a service; what it reports goes to reports.
func newHook(t *testing.T, s *hookService) (h *orchestrator.GatewayHook, clk *coretest.Clock, reports *[]error) {
	t.Helper()
	clk, reports = coretest.NewClock(time.Unix(1_700_000_000, 0)), new([]error)
	var mu sync.Mutex
	h = orchestrator.NewGatewayHook(orchestrator.GatewayHookOptions{
		URL: s.URL + "/?key=secret", Now: clk.Now,
		Check: func(u core.UnitPrice) error {
			if u.PixelsPerUnit == 13 {
				return errors.New("an unlucky price")
			}
			return nil
		},
		Report: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			*reports = append(*reports, err)
		},
	})
	return h, clk, reports
}

var gateway = core.Address{0: 0xab, 19: 7}

const hookPeer = "203.0.113.7"

// The service decides about an admitted gateway every 30 minutes, and has the price of the last answer.
func TestAdmittedGateway(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	h, clk, _ := newHook(t, s)
	s.answers(http.StatusOK, `{"priceInfo":{"pricePerUnit":7,"pixelsPerUnit":2}}`)
	for i, step := range []struct {
		passes time.Duration
		asked  int
	}{{0, 1}, {29 * time.Minute, 1}, {time.Minute, 2}} {
		clk.Forward(step.passes)
		if err := h.Admit(t.Context(), gateway, hookPeer); err != nil {
			t.Fatal(err)
		}
		if n := s.questions(gateway); n != step.asked {
			t.Errorf("step %d: asked %d times, want %d", i, n, step.asked)
		}
		if p := h.Price(gateway); p == nil || p.Cmp(big.NewRat(7, 2)) != 0 {
			t.Errorf("step %d: price %v", i, p)
		}
	}
	s.answers(http.StatusOK, "")
	clk.Forward(30 * time.Minute)
	if err := h.Admit(t.Context(), gateway, hookPeer); err != nil || h.Price(gateway) != nil || s.questions(gateway) != 3 {
		t.Error("without a price of its own:", err, h.Price(gateway))
	}
	if h.Price(core.Address{1}) != nil {
		t.Error("a price of a gateway that was not asked about")
	}
}

// A refusal has the service's text, and is short: an operator who adds a gateway does not wait.
func TestRefusedGateway(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	h, clk, reports := newHook(t, s)
	s.answers(http.StatusForbidden, "not on the list\n")
	for range 3 {
		err := h.Admit(t.Context(), gateway, hookPeer)
		if fault.CodeOf(err) != fault.GatewayDenied || fault.Wire(err) != "authentication failed: not on the list" {
			t.Fatal(err, fault.Wire(err))
		}
	}
	if n := s.questions(gateway); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if len(*reports) != 1 || (*reports)[0] != nil {
		t.Error("a refusal is no failure of the service:", *reports)
	}
	s.answers(http.StatusOK, "")
	clk.Forward(5 * time.Second)
	if err := h.Admit(t.Context(), gateway, hookPeer); err != nil {
		t.Error(err)
	}
	s.answers(http.StatusUnauthorized, "")
	clk.Forward(30 * time.Minute)
	if err := h.Admit(t.Context(), gateway, hookPeer); fault.Wire(err) != "authentication failed" {
		t.Error("a refusal without a text:", err)
	}
}

// What cannot be understood admits no gateway, is not kept, and is reported without the service's address.
func TestFailedService(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status int
		text   string
	}{
		"failing":         {http.StatusInternalServerError, "trace"},
		"redirect":        {http.StatusFound, ""},
		"no JSON":         {http.StatusOK, "yes"},
		"half a price":    {http.StatusOK, `{"priceInfo":{"pricePerUnit":1}}`},
		"a broken price":  {http.StatusOK, `{"priceInfo":{"pricePerUnit":1.5,"pixelsPerUnit":1}}`},
		"a negative one":  {http.StatusOK, `{"priceInfo":{"pricePerUnit":-1,"pixelsPerUnit":1}}`},
		"no pixels":       {http.StatusOK, `{"priceInfo":{"pricePerUnit":1,"pixelsPerUnit":0}}`},
		"an absurd price": {http.StatusOK, `{"priceInfo":{"pricePerUnit":1,"pixelsPerUnit":13}}`},
		"much":            {http.StatusOK, strings.Repeat(" ", 70_000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHookService(t)
			h, _, reports := newHook(t, s)
			s.answers(answer.status, answer.text)
			for range 2 {
				err := h.Admit(t.Context(), gateway, hookPeer)
				if fault.CodeOf(err) != fault.GatewayHookFailed || fault.Wire(err) != "authentication failed" {
					t.Error(err)
				}
			}
			if n := s.questions(gateway); n != 2 || len(*reports) != 2 || (*reports)[1] == nil {
				t.Error(n, *reports)
			}
		})
	}
	s := newHookService(t)
	h, _, reports := newHook(t, s)
	s.Close()
	err := h.Admit(t.Context(), gateway, hookPeer)
	if fault.CodeOf(err) != fault.GatewayHookFailed || len(*reports) != 1 {
		t.Error(err, *reports)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Error("the address is in", err)
	}
}

// Requests of one gateway share a question.
func TestQuestionsAreShared(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	h, _, _ := newHook(t, s)
	s.hold, s.entered = make(chan struct{}), make(chan string, 128)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := h.Admit(t.Context(), gateway, hookPeer); err != nil {
				t.Error(err)
			}
		})
	}
	<-s.entered
	close(s.hold)
	all.Wait()
	if n := s.questions(gateway); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// However many accounts one address invents, a gateway that was admitted before is decided about at once.
func TestInventedAccountsKeepNoGatewayWaiting(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	h, clk, _ := newHook(t, s)
	if err := h.Admit(t.Context(), gateway, hookPeer); err != nil {
		t.Fatal(err)
	}
	clk.Forward(time.Hour)
	s.mu.Lock()
	s.hold, s.entered = make(chan struct{}), make(chan string, 1024)
	s.mu.Unlock()
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() { _ = h.Admit(t.Context(), core.Address{0: 1, 1: byte(i)}, "198.51.100.9") })
	}
	for range 48 {
		<-s.entered
	}
	all.Go(func() {
		if err := h.Admit(t.Context(), gateway, "198.51.100.9"); err != nil {
			t.Error(err)
		}
	})
	if id := <-s.entered; id != gateway.String() {
		t.Errorf("%s was asked about before the gateway", id)
	}
	close(s.hold)
	all.Wait()
}
