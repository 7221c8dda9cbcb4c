package price

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// orchestrator speaks the network's protocol and keeps the network's ledger: a balance
// for each session or model, of which a job needs one ticket's worth.
type orchestrator struct {
	rpc.UnimplementedOrchestratorServer
	t       *testing.T
	server  *httptest.Server
	account core.Address
	// expires is the layer-1 block until which its tickets hold.
	expires protocol.L1Block

	mu sync.Mutex // covers what follows
	// ev is a ticket's worth, price is for a unit of work, token how long tokens hold.
	ev    core.Wei
	price int64
	token time.Duration
	// prices, where there are any, are those of each answer in turn.
	prices []int64
	// recipient is the account that is paid, if that is another account each time.
	recipient func(n int) core.Address
	// cheat answers the n-th job instead of doing it, unless it returns false.
	cheat func(n int, w http.ResponseWriter) bool
	// answer writes the answer to a job of a model that is done; units is how much such a
	// job is billed.
	answer func(w http.ResponseWriter)
	units  int64
	// info changes the terms that are asked for at an address.
	info func(asked string, info *rpc.OrchestratorInfo)
	// reply answers a job by its request instead of doing it, unless it returns false.
	reply       func(w http.ResponseWriter, r *http.Request, body []byte) bool
	asked, turn int
	// balances are by session or model. paid is all tickets' worth, worked the worth of
	// all work that was done, jobs how many came.
	balances     map[string]*big.Rat
	paid, worked big.Rat
	jobs, served int
	files        map[string][]byte
}

const (
	defaultEV    = 8_000_000_000
	largeEV      = 2_900_000_000_000
	tokenTime    = 30 * time.Minute
	pixelPrice   = 1000
	networkModel = "meta-llama/Meta-Llama-3.1-8B-Instruct"
)

// newOrchestrator starts an honest one with the n-th orchestrator's account.
func newOrchestrator(t *testing.T, n uint64) *orchestrator {
	t.Helper()
	o := &orchestrator{
		t: t, account: core.Address(control.Address(control.OrchestratorKey(n))), ev: core.NewWei(defaultEV),
		price: pixelPrice, answer: chatAnswer, units: maxTokens,
		token: tokenTime, balances: map[string]*big.Rat{}, files: map[string][]byte{},
	}
	o.server = o.listen()
	return o
}

// listen has it answer at one more address.
func (o *orchestrator) listen() *httptest.Server {
	calls := grpc.NewServer()
	rpc.RegisterOrchestratorServer(calls, o)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			calls.ServeHTTP(w, r)
			return
		}
		o.serve(w, r)
	}))
	server.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	o.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		calls.Stop()
	})
	return server
}

// with changes it.
func (o *orchestrator) with(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

// GetOrchestrator answers with terms.
func (o *orchestrator) GetOrchestrator(ctx context.Context, _ *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	info := o.terms(&rpc.AuthToken{
		Token: []byte("token"), SessionId: fmt.Sprintf("%08x", o.asked), Expiration: time.Now().Add(o.token).Unix(),
	})
	if o.info != nil {
		md, _ := metadata.FromIncomingContext(ctx)
		o.info("https://"+strings.Join(md.Get(":authority"), ""), info)
	}
	return info, nil
}

// terms are called with the lock held.
func (o *orchestrator) terms(token *rpc.AuthToken) *rpc.OrchestratorInfo {
	face, _ := core.WeiOf(new(big.Int).Mul(o.ev.Big(), big.NewInt(100)))
	params := pm.Params{Recipient: o.account, FaceValue: face, WinProb: pm.WinProb(face, o.ev),
		ExpirationBlock: o.expires}
	if o.recipient != nil {
		params.Recipient = o.recipient(o.asked)
	}
	_, _ = rand.Read(params.RecipientRandHash[:])
	_, _ = rand.Read(params.Seed[:])
	if len(o.prices) > 0 {
		o.price = o.prices[o.turn%len(o.prices)]
		o.turn++
	}
	set := capability.SoftwareTranscoder()
	models := map[capability.ID]capability.Models{}
	for _, id := range []capability.ID{capability.LLM, capability.TextToImage, capability.TextToSpeech} {
		set = set.With(id)
		models[id] = capability.Models{networkModel: {Warm: true, Capacity: 64}}
	}
	offer := capability.Offer(set, "0.8.9")
	offer.Constraints.PerCapability = models
	return &rpc.OrchestratorInfo{
		Transcoder: o.server.URL, Address: o.account[:], Capabilities: rpc.FromCapabilities(offer), AuthToken: token,
		TicketParams: rpc.ToTicketParams(&params), PriceInfo: &rpc.PriceInfo{PricePerUnit: o.price, PixelsPerUnit: 1},
	}
}

// EndTranscodingSession forgets a balance, as the network's nodes do.
func (o *orchestrator) EndTranscodingSession(_ context.Context,
	r *rpc.EndTranscodingSessionRequest) (*rpc.EndTranscodingSessionResponse, error) {
	o.with(func() { delete(o.balances, r.GetAuthToken().GetSessionId()) })
	return &rpc.EndTranscodingSessionResponse{}, nil
}

func (o *orchestrator) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		o.mu.Lock()
		data := o.files[r.URL.Path]
		o.mu.Unlock()
		_, _ = w.Write(data)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	meta, err := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	key := meta.GetAuthToken().GetSessionId()
	if r.URL.Path != "/segment" {
		key = string(meta.GetManifestId())
	}
	enough := o.credit(key, r.Header.Get("Livepeer-Payment"))
	o.mu.Lock()
	cheat, reply, n, answer, units := o.cheat, o.reply, o.jobs, o.answer, o.units
	o.mu.Unlock()
	switch {
	case reply != nil && reply(w, r, body):
	case cheat != nil && cheat(n, w):
	case !enough:
		http.Error(w, "Insufficient balance", http.StatusBadRequest)
	case r.URL.Path == "/segment":
		o.transcode(w, key, meta, body)
	default:
		o.debit(key, units)
		answer(w)
	}
}

// chatAnswer is a model's answer to a chat.
func chatAnswer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,`+
		`"finish_reason":"stop",`+
		`"message":{"role":"assistant","content":"one two"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,`+
		`"total_tokens":3}}`, networkModel)
}

// credit books a payment and reports whether the balance is worth a ticket.
func (o *orchestrator) credit(key, header string) bool {
	m, err := rpc.DecodePayment(header)
	if err != nil {
		o.t.Errorf("payment: %v", err)
		return false
	}
	p, err := rpc.FromPayment(m)
	if err != nil {
		o.t.Errorf("payment: %v", err)
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.jobs++
	b := o.balances[key]
	if b == nil {
		b = new(big.Rat)
		o.balances[key] = b
	}
	if p.Params != nil {
		value := p.Params.EV().Times(int64(len(p.Tickets))).Rat()
		b.Add(b, value)
		o.paid.Add(&o.paid, value)
	}
	return b.Cmp(new(big.Rat).SetInt(o.ev.Big())) >= 0
}

func (o *orchestrator) debit(key string, units int64) {
	bill := new(big.Rat).SetInt64(units)
	o.mu.Lock()
	defer o.mu.Unlock()
	bill.Mul(bill, new(big.Rat).SetInt64(o.price))
	if b := o.balances[key]; b != nil {
		b.Sub(b, bill)
	}
	o.worked.Add(&o.worked, bill)
	o.served++
}

// transcode answers with the source for each rendition, which a gateway that does not
// check results takes for work.
func (o *orchestrator) transcode(w http.ResponseWriter, session string, meta *rpc.SegData, data []byte) {
	const pixels = 256 * 144 * 15
	var made []*rpc.TranscodedSegmentData
	segment, err := rpc.FromSegData(meta)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	for i := range segment.Profiles {
		path := fmt.Sprintf("/stream/%s/%d/%d.ts", session, i, meta.GetSeq())
		o.with(func() { o.files[path] = data })
		made = append(made, &rpc.TranscodedSegmentData{Url: o.server.URL + path, Pixels: pixels})
	}
	o.debit(session, int64(len(made))*pixels)
	var info *rpc.OrchestratorInfo
	o.with(func() { info = o.terms(meta.GetAuthToken()) })
	raw, err := proto.Marshal(&rpc.TranscodeResult{
		Seq: meta.GetSeq(), Info: info, Result: &rpc.TranscodeResult_Data{Data: &rpc.TranscodeData{Segments: made}},
	})
	if err != nil {
		o.t.Error(err)
	}
	_, _ = w.Write(raw)
}

// books are what it was paid and worked for, in gwei, and how many jobs it did.
func (o *orchestrator) books() (paid, worked float64, served int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return gwei(&o.paid), gwei(&o.worked), o.served
}

func gwei(v *big.Rat) float64 {
	f, _ := new(big.Rat).Quo(v, new(big.Rat).SetInt64(1e9)).Float64()
	return f
}
