package remotesigner_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mattn/go-sqlite3"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/remotesigner"
	"github.com/tuttinode/tutti/pm/sender"
	service "github.com/tuttinode/tutti/server/remotesigner"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// layer1 is below the expiration block of the recorded parameters, and start before the end of their token.
const layer1 = 20_000_000

var start = time.Date(2026, 11, 22, 8, 50, 37, 772135854, time.UTC)

// chain is a fake chain on which the signer's account has funds.
type chain struct{}

func (chain) View() protocol.View {
	v := protocol.View{Known: true}
	v.Head.L1 = layer1
	v.Round = protocol.RoundState{Number: 7, LastInitialized: 7, LastHash: protocol.Hash{0xaa}}
	return v
}

func (chain) SenderFunds(context.Context, core.Address) (protocol.SenderFunds, error) {
	deposit, _ := core.ParseWei("1000000000000000000")
	return protocol.SenderFunds{
			Sender: protocol.Sender{Deposit: deposit, Reserve: protocol.Reserve{FundsRemaining: deposit}},
		},
		nil
}

// caps are the operator's highest prices.
type caps struct{ video, model, highest *big.Rat }

func (c caps) MaxTranscoding() *big.Rat          { return c.video }
func (c caps) MaxModel(inference.Model) *big.Rat { return c.model }
func (c caps) Highest() *big.Rat                 { return c.highest }

// rig is a signer with its books on disk.
type rig struct {
	*httptest.Server
	key     *ecdsa.PrivateKey
	account core.Address
	clock   *coretest.Clock
	book    *paymentlog.Store
	close   func()
	// closeBooks is close while requests are in progress, as at a stop that waits for none.
	closeBooks func()
}

// change is what a test wants different.
type change struct {
	limit   string
	caps    caps
	webhook string
	header  http.Header
	clock   *coretest.Clock
	// elapsed is the clock that nothing sets; nil is that of clock.
	elapsed func() time.Duration
	// open lets other machines reach the signer, without a webhook.
	open bool
	// events gets payments that were signed.
	events telemetry.EventSink
	// log gets the service's lines.
	log io.Writer
}

func openDB(t testing.TB, dir string) *sql.DB {
	t.Helper()
	d := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	db, err := d.Open(t.Context(), dir, func(context.Context, *sql.DB) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// begin starts a signer whose books are in a directory.
func begin(t testing.TB, dir string, c change) *rig {
	t.Helper()
	key, err := crypto.HexToECDSA("0101010101010101010101010101010101010101010101010101010101010101")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{key: key, account: core.Address(crypto.PubkeyToAddress(key.PublicKey)), clock: c.clock}
	if r.clock == nil {
		r.clock = coretest.NewClock(start)
	}
	sign := func(m signature.Message) ([]byte, error) { return signature.EthSign(key, m.Bytes()) }
	db := openDB(t, dir)
	book, issued, err := paymentlog.Open(t.Context(), paymentlog.Options{DB: db, Sender: r.account, Now: r.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	r.book = book
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- book.Run(ctx, func() {}) }()
	store, err := remotesigner.OpenStore(t.Context(), db, r.account)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := core.ParseWei(c.limit)
	if err != nil && c.limit != "" {
		t.Fatal(err)
	}
	most, _ := core.ParseWei("3000000000000")
	total, _ := core.ParseWei("20000000000000")
	opt := remotesigner.Options{
		Account: r.account, Sign: sign, Budget: remotesigner.NewBudget(store, limit, nil),
		Now: r.clock.Now, Elapsed: c.elapsed,
		Random: func(b []byte) { _, _ = rand.Read(b) },
		Payer: sender.New(sender.Options{Account: r.account, Sign: sign, Chain: chain{}, Book: book, Issued: issued,
			Limits: pm.Limits{MaxEV: most, MaxTotalEV: total, DepositMultiplier: 1}, Now: r.clock.Now}),
		Log: slog.New(slog.DiscardHandler), Events: c.events,
	}
	if c.webhook != "" {
		opt.Authorizer = service.NewWebhook(c.webhook, c.header)
	}
	log := slog.New(slog.DiscardHandler)
	if c.log != nil {
		log = slog.New(slog.NewTextHandler(c.log, nil))
	}
	s := service.New(service.Options{Signer: remotesigner.New(opt), Sign: sign, Caps: c.caps, Connections: 100,
		Authorizer: opt.Authorizer,
		Open:       c.webhook != "" || c.open,
		Version:    "test", Log: log, Now: r.clock.Now})
	r.Server = httptest.NewServer(s.Handler())
	r.closeBooks = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, book.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	r.close = func() {
		r.Server.Close()
		r.closeBooks()
	}
	t.Cleanup(r.close)
	return r
}

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	text   string
	error  string
	body   struct {
		Payment, SegCreds []byte
		State             *state
	}
}

type state struct{ State, Sig []byte }

// ask asks for a payment.
func (r *rig) ask(t testing.TB, fields map[string]any, headers ...string) answer {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return r.post(t, "/generate-live-payment", body, headers...)
}

func (r *rig) post(t testing.TB, path string, body []byte, headers ...string) (a answer) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a.status, a.header, a.text = resp.StatusCode, resp.Header, string(text)
	if a.status == http.StatusOK {
		err = json.Unmarshal(text, &a.body)
	} else {
		var refused struct{ Error struct{ Message string } }
		err = json.Unmarshal(text, &refused)
		a.error = refused.Error.Message
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

// decoded is the state in an answer.
func (a *answer) decoded(t testing.TB) (s remotesigner.State) {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.error)
	}
	if err := json.Unmarshal(a.body.State.State, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// payment is the one in an answer.
func (a *answer) payment(t testing.TB) pm.Payment {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.error)
	}
	m := new(rpc.Payment)
	if err := proto.Unmarshal(a.body.Payment, m); err != nil {
		t.Fatal(err)
	}
	p, err := rpc.FromPayment(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bytesVector is one recorded session with all its bytes.
type bytesVector struct {
	Signer    string
	Challenge struct {
		Params []byte `json:"payment_params"`
	}
	Answer recordedAnswer                      `json:"signer_answer"`
	Second recordedAnswer                      `json:"second_signer_answer"`
	Info   struct{ Address, Signature string } `json:"sign_orchestrator_info"`
}

type recordedAnswer struct {
	Payment, SegCreds []byte
	State             state
}

func recorded(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "test", "vectors", "live", name))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func recordedBytes(t testing.TB) *bytesVector {
	t.Helper()
	v := new(bytesVector)
	recorded(t, "live_paid_bytes.json", v)
	return v
}

// offer is an orchestrator's terms, changed for a test.
func offer(t testing.TB, change func(*rpc.OrchestratorInfo)) []byte {
	t.Helper()
	info := new(rpc.OrchestratorInfo)
	if err := proto.Unmarshal(recordedBytes(t).Challenge.Params, info); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(info)
	}
	raw, err := proto.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
