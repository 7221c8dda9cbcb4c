package migrate

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"crypto/rand"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	_ "github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/harness"
)

// town is a chain with an active orchestrator, whose node is the existing one, and a
// gateway that paid it.
type town struct {
	t     *testing.T
	chain *devnet.Chain
	eth   *ethclient.Client
	calls contracts.Calls
	round control.Round
	hash  protocol.Hash
	// recipient is the orchestrator, gateway the account that paid.
	recipient core.Address
	gateway   *ecdsa.PrivateKey
	old, pass string
}

func newTown(t *testing.T) *town {
	w := &town{t: t, gateway: control.AccountKey(3), recipient: core.Address(control.Address(control.OrchestratorKey(0)))}
	const block = 200 * time.Millisecond
	w.chain = devnet.Start(t, devnet.Options{BlockTime: block, L1BlockTime: block, RoundLength: 2000,
		Args: []string{"-initializeRounds"}})
	ctx := t.Context()
	w.must(w.chain.Control.Populate(ctx,
		control.Population{Orchestrators: 1, Base: core.LPTTokens(1000), ServiceURI: "https://127.0.0.1:8935"}))
	w.must(w.chain.Control.Fund(ctx, common.Address(w.recipient), core.NewWei(1e18)))
	_, err := w.chain.Control.NextRound(ctx, true)
	w.must(err)
	w.round, err = w.chain.Control.Round(ctx)
	w.must(err)
	w.eth, err = ethclient.DialContext(ctx, w.chain.URL(0))
	w.must(err)
	t.Cleanup(w.eth.Close)
	at := w.chain.Info.Contracts
	w.calls = contracts.NewCalls(contracts.Addresses{TicketBroker: core.Address(at["TicketBroker"]),
		RoundsManager: core.Address(at["RoundsManager"])})
	rounds := at["RoundsManager"]
	number := common.BigToHash(new(big.Int).SetUint64(uint64(w.round.LastInitialized)))
	got, err := w.eth.CallContract(ctx,
		ethereum.CallMsg{To: &rounds, Data: append(common.FromHex("0x3aa4add4"), number[:]...)}, nil)
	w.must(err)
	w.hash = protocol.Hash(got)
	w.send(w.calls.FundDepositAndReserve(core.NewWei(1e18), core.NewWei(1e18)))
	return w
}

func (w *town) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// send has the gateway's account send a call, and waits for it.
func (w *town) send(call contracts.Call) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	nonce, err := w.eth.PendingNonceAt(ctx, control.Address(w.gateway))
	w.must(err)
	id := new(big.Int).SetUint64(w.chain.Info.ChainID)
	to := call.To()
	tx, err := types.SignNewTx(w.gateway, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: &to, Data: call.Data(), Value: call.Value(), Gas: 3_000_000,
		GasFeeCap: big.NewInt(10e9), GasTipCap: big.NewInt(1),
	})
	w.must(err)
	w.must(w.eth.SendTransaction(ctx, tx))
	for {
		receipt, err := w.eth.TransactionReceipt(ctx, tx.Hash())
		if err == nil {
			if receipt.Status != 1 {
				w.t.Fatal(call.Name(), "failed")
			}
			return
		}
		select {
		case <-ctx.Done():
			w.t.Fatal(call.Name(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ticket is one of the gateway's that surely wins.
func (w *town) ticket(set string) protocol.WinningTicket {
	w.t.Helper()
	most, _ := protocol.WordOf(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)))
	random := protocol.Word(crypto.Keccak256([]byte(set)))
	ticket := protocol.WinningTicket{
		Recipient: w.recipient, Sender: core.Address(control.Address(w.gateway)), FaceValue: core.NewWei(5e16),
		WinProb: most, SenderNonce: 1,
		RecipientRand: random, RecipientRandHash: pm.RandHash(random), CreationRound: w.round.LastInitialized,
		CreationRoundHash: w.hash,
	}
	hash := ticket.Hash()
	digest := signature.EthDigest(hash[:])
	sig, err := crypto.Sign(digest[:], w.gateway)
	w.must(err)
	sig[64] += 27
	ticket.Signature = [65]byte(sig)
	return ticket
}

// leave makes the existing node's data directory.
func (w *town) leave(tickets ...protocol.WinningTicket) {
	w.t.Helper()
	root := w.t.TempDir()
	w.old, w.pass = filepath.Join(root, ".lpData", "devnet"), filepath.Join(root, "pass")
	w.must(os.MkdirAll(filepath.Join(w.old, "keystore"), 0o755))
	w.must(os.WriteFile(w.pass, []byte("open sesame\n"), 0o600))
	secret := core.NewSecret(hex.EncodeToString(crypto.FromECDSA(control.OrchestratorKey(0))))
	_, err := account.Open(filepath.Join(w.old, "keystore"), devnet.KeyCost).ImportKey(secret,
		core.NewSecret("open sesame"), rand.Reader, time.Now())
	w.must(err)
	db, err := sql.Open("sqlite3", filepath.Join(w.old, "lpdb.sqlite3"))
	w.must(err)
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE kv (key STRING PRIMARY KEY, value STRING, updatedAt STRING DEFAULT CURRENT_TIMESTAMP);
		CREATE TABLE ticketQueue (createdAt DATETIME DEFAULT CURRENT_TIMESTAMP, sender STRING, recipient STRING, faceValue ` +
		`BLOB, winProb BLOB,
			senderNonce INTEGER, recipientRand BLOB, recipientRandHash STRING, sig BLOB PRIMARY KEY, creationRound INT64,
			creationRoundBlockHash STRING, paramsExpirationBlock INT64, redeemedAt DATETIME, txHash STRING)`)
	w.must(err)
	_, err = db.Exec(`INSERT INTO kv (key, value) VALUES ('dbVersion', '1'), ('chainID', ?)`,
		fmt.Sprint(w.chain.Info.ChainID))
	w.must(err)
	for _, t := range tickets {
		_, err = db.Exec(`INSERT INTO ticketQueue (sender, recipient, faceValue, winProb, senderNonce, recipientRand, `+
			`recipientRandHash, sig, creationRound, creationRoundBlockHash, paramsExpirationBlock)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, `+
			`?)`, t.Sender.String(), t.Recipient.String(), t.FaceValue.Big().Bytes(), t.WinProb.Big().Bytes(),
			int64(t.SenderNonce),
			t.RecipientRand.Big().Bytes(), t.RecipientRandHash.String(), t.Signature[:], int64(t.CreationRound),
			t.CreationRoundHash.String(), int64(w.round.L1Block))
		w.must(err)
	}
}

// fingerprint is everything about a directory that must not change.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			var content []byte
			content, err = os.ReadFile(path)
			fmt.Fprintf(&b, "%x ", sha256.Sum256(content))
		}
		if err == nil {
			fmt.Fprintf(&b, "%s %v %d %v\n", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// An operator's unit names the existing node's data directory. With `livepeer` being
// tutti, the key comes along, the tickets that were not redeemed become money once, the
// one that was redeemed does not, and the directory is as it was.
func TestMovingInOnAChain(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	first, second, used := w.ticket("first"), w.ticket("second"), w.ticket("used")
	w.leave(first, second, used)
	w.send(w.calls.RedeemWinningTicket(used))
	before := fingerprint(t, w.old)

	home, admin, front := t.TempDir(), harness.Address(t), harness.Address(t)
	args := []string{"-datadir", w.old, "-network", "devnet", "-ethUrl", w.chain.URL(0), "-ethPassword", w.pass,
		"-orchestrator", "-transcoder",
		"-pricePerUnit", "1000", "-serviceAddr", front, "-cliAddr", admin, "-blockPollingInterval", "1"}
	env := []string{"HOME=" + home}
	states := func() map[string]string {
		_, body := harness.Get(t, "http://"+admin+adminapi.PathTickets+"?limit=100")
		var page adminapi.Tickets
		w.must(json.Unmarshal(body, &page))
		out := make(map[string]string)
		for _, one := range page.Tickets {
			out[one.Hash.String()] = string(one.State)
		}
		return out
	}
	paid := func(s string) bool { return s == string(pm.TicketMined) || s == string(pm.TicketFinal) }
	node := harness.StartIn(t, binary, env, args...)
	node.WaitHTTP("http://" + admin + "/healthz")
	node.Wait("both tickets to be redeemed", 90*time.Second, func() bool {
		s := states()
		return len(s) == 2 && paid(s[first.Hash().String()]) && paid(s[second.Hash().String()])
	})
	for _, want := range []string{w.recipient.String(), "tickets of the existing node", "taken=2", "redeemed_before=1"} {
		if !strings.Contains(node.Log(), want) {
			t.Errorf("the log does not say %q", want)
		}
	}
	node.Signal(syscall.SIGTERM)
	if status := node.Exit(time.Minute); status != 0 {
		t.Errorf("status %d", status)
	}

	// The second start brings nothing twice.
	node = harness.StartIn(t, binary, env, args...)
	node.WaitHTTP("http://" + admin + "/healthz")
	node.Wait("a look at the old directory", time.Minute, func() bool { return strings.Contains(node.Log(), "new=0") })
	if s := states(); len(s) != 2 {
		t.Error(s)
	}
	keys, err := filepath.Glob(filepath.Join(home, ".tutti", "*", "keystore", "UTC--*"))
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	if info, err := os.Stat(keys[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if after := fingerprint(t, w.old); after != before {
		t.Errorf("the existing node's directory was\n%s\nand is\n%s", before, after)
	}
}
