package signing

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/hex"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/harness"
)

// victim is a node on a chain whose account has a deposit and a reserve, and a thief
// that is a registered orchestrator, so that the ticket broker would pay it.
type victim struct {
	*testing.T
	chain  *devnet.Chain
	eth    *ethclient.Client
	calls  contracts.Calls
	round  control.Round
	hash   protocol.Hash
	key    *ecdsa.PrivateKey
	thief  *ecdsa.PrivateKey
	front  string
	admin  string
	dir    string
	broker common.Address
	node   *harness.Process
}

const passphrase = "open sesame"

var deposit, reserve = ether(1), ether(2)

func ether(n uint64) core.Wei { return core.NewWei(n * 1e18) }

// newVictim starts chain and node; args are added to the node's command line.
func newVictim(t *testing.T, args ...string) *victim {
	t.Helper()
	v := &victim{T: t, key: control.AccountKey(3), thief: control.OrchestratorKey(0), dir: t.TempDir()}
	v.startChain()
	v.front, v.admin = harness.Address(t), harness.Address(t)
	pass := filepath.Join(v.dir, "passphrase")
	v.must(os.WriteFile(pass, []byte(passphrase), 0o600))
	secret := core.NewSecret(hex.EncodeToString(crypto.FromECDSA(v.key)))
	_, err := account.Open(filepath.Join(v.dir, "keystore"), devnet.KeyCost).ImportKey(secret,
		core.NewSecret(passphrase), rand.Reader, time.Now())
	v.must(err)
	v.node = harness.Start(t, binary, append([]string{"-network", "devnet", "-ethUrl", v.chain.URL(0), "-ethPassword",
		pass, "-dataDir", v.dir,
		"-cliAddr", v.admin, "-blockPollingInterval", "1s", "-orchestrator", "-transcoder", "-pricePerUnit", "1000",
		"-serviceAddr", v.front}, args...)...)
	v.node.WaitHTTP("http://" + v.admin + "/healthz")
	v.node.WaitHTTP("https://" + v.front + "/status")
	return v
}

func (v *victim) startChain() {
	v.Helper()
	const block = 200 * time.Millisecond
	ctx := v.Context()
	v.chain = devnet.Start(v, devnet.Options{BlockTime: block, L1BlockTime: block, RoundLength: 2000,
		Args: []string{"-initializeRounds"}})
	v.must(v.chain.Control.Populate(ctx, control.Population{Orchestrators: 1, Base: core.LPTTokens(1000),
		ServiceURI: "https://127.0.0.1:8935"}))
	v.must(v.chain.Control.Fund(ctx, control.Address(v.thief), ether(1)))
	_, err := v.chain.Control.NextRound(ctx, true)
	v.must(err)
	v.round, err = v.chain.Control.Round(ctx)
	v.must(err)
	v.eth, err = ethclient.DialContext(ctx, v.chain.URL(0))
	v.must(err)
	v.Cleanup(v.eth.Close)
	at := v.chain.Info.Contracts
	v.broker = at["TicketBroker"]
	v.calls = contracts.NewCalls(contracts.Addresses{TicketBroker: core.Address(v.broker),
		RoundsManager: core.Address(at["RoundsManager"])})
	rounds := at["RoundsManager"]
	number := common.BigToHash(new(big.Int).SetUint64(uint64(v.round.LastInitialized)))
	got, err := v.eth.CallContract(ctx, ethereum.CallMsg{To: &rounds,
		Data: append(common.FromHex("0x3aa4add4"), number[:]...)}, nil)
	v.must(err)
	v.hash = protocol.Hash(got)
	if err := v.send(v.key, v.calls.FundDepositAndReserve(deposit, reserve)); err != nil {
		v.Fatal(err)
	}
}

func (v *victim) must(err error) {
	v.Helper()
	if err != nil {
		v.Fatal(err)
	}
}

// send has an account send a call. A contract's refusal is its error.
func (v *victim) send(key *ecdsa.PrivateKey, call contracts.Call) error {
	ctx, cancel := context.WithTimeout(v.Context(), time.Minute)
	defer cancel()
	from, to := control.Address(key), call.To()
	if _, err := v.eth.EstimateGas(ctx, ethereum.CallMsg{From: from, To: &to, Data: call.Data(),
		Value: call.Value()}); err != nil {
		return err
	}
	nonce, err := v.eth.PendingNonceAt(ctx, from)
	v.must(err)
	id := new(big.Int).SetUint64(v.chain.Info.ChainID)
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: &to, Data: call.Data(), Value: call.Value(), Gas: 3_000_000,
		GasFeeCap: big.NewInt(10e9), GasTipCap: big.NewInt(1),
	})
	v.must(err)
	v.must(v.eth.SendTransaction(ctx, tx))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := v.eth.TransactionReceipt(ctx, tx.Hash()); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			v.Fatal(call.Name(), ctx.Err())
		case <-tick.C:
		}
	}
}

// account is the node's.
func (v *victim) account() core.Address { return core.Address(control.Address(v.key)) }

// ticket is one of the node's account to the thief that surely wins; it is not signed.
func (v *victim) ticket(nonce uint64) protocol.WinningTicket {
	random := protocol.Word(crypto.Keccak256([]byte("the thief's random number")))
	t := protocol.WinningTicket{
		Recipient: core.Address(control.Address(v.thief)), Sender: v.account(), FaceValue: ether(3), SenderNonce: nonce,
		RecipientRand: random, RecipientRandHash: pm.RandHash(random), CreationRound: v.round.LastInitialized,
		CreationRoundHash: v.hash,
	}
	for i := range t.WinProb {
		t.WinProb[i] = 0xff
	}
	return t
}

// preimage is the 232 bytes that the ticket's hash is made of.
func preimage(t protocol.WinningTicket) []byte {
	word := func(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }
	var b []byte
	for _, part := range [][]byte{t.Recipient[:], t.Sender[:], word(t.FaceValue.Big()), t.WinProb[:],
		word(new(big.Int).SetUint64(t.SenderNonce)),
		t.RecipientRandHash[:], word(new(big.Int).SetUint64(uint64(t.CreationRound))), t.CreationRoundHash[:]} {
		b = append(b, part...)
	}
	return b
}

// steal tries to be paid with a signature that the node made, and says whether the
// account lost anything.
func (v *victim) steal(t protocol.WinningTicket, sig []byte) bool {
	v.Helper()
	if len(sig) != len(t.Signature) {
		return false
	}
	copy(t.Signature[:], sig)
	before := v.locked()
	if err := v.send(v.thief, v.calls.RedeemWinningTicket(t)); err != nil {
		v.Logf("the ticket broker refuses: %v", err)
	}
	return v.locked().Cmp(before) < 0
}

// locked is what the ticket broker holds for the node's account.
func (v *victim) locked() *big.Int {
	v.Helper()
	call := append(crypto.Keccak256([]byte("getSenderInfo(address)"))[:4],
		common.LeftPadBytes(control.Address(v.key).Bytes(), 32)...)
	info, err := v.eth.CallContract(v.Context(), ethereum.CallMsg{To: &v.broker, Data: call}, nil)
	v.must(err)
	if len(info) < 128 {
		v.Fatalf("the ticket broker answers %x", info)
	}
	// Sender{deposit, withdrawRound}, ReserveInfo{fundsRemaining, claimedInCurrentRound}
	sum := new(big.Int).SetBytes(info[:32])
	return sum.Add(sum, new(big.Int).SetBytes(info[64:96]))
}

// signedBy reports whether sig is the node's EIP-191 signature over a message.
func (v *victim) signedBy(message, sig []byte) bool {
	return signature.EthVerify(common.Address(v.account()), message, sig) == nil
}

func token(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "admin.token"))
	return strings.TrimSpace(string(text)), err
}
