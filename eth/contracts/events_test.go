package contracts_test

import (
	"errors"
	"math/big"
	"reflect"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// logged makes the log of an event as its contract does.
func logged(t testing.TB, contract string, at core.Address, name string, args ...any) *types.Log {
	t.Helper()
	event := parsed(t, contract).Events[name]
	log := &types.Log{
		Address: common.Address(at), Topics: []common.Hash{event.ID},
		BlockNumber: 900, BlockHash: common.Hash{1}, TxHash: common.Hash{2}, Index: 3,
	}
	var plain []any
	for i, input := range event.Inputs {
		if !input.Indexed {
			plain = append(plain, args[i])
			continue
		}
		switch v := args[i].(type) {
		case common.Address:
			log.Topics = append(log.Topics, common.BytesToHash(v[:]))
		case *big.Int:
			log.Topics = append(log.Topics, common.BigToHash(v))
		}
	}
	data, err := event.Inputs.NonIndexed().Pack(plain...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	log.Data = data
	return log
}

// origin is where logged puts every event.
var origin = contracts.Origin{Block: 900, BlockHash: protocol.Hash{1}, Tx: protocol.TxHash{2}, Index: 3}

type published struct {
	contract string
	at       core.Address
	event    string
	args     []any
	want     contracts.Event
}

func allEvents() []published {
	x, y, z := a(other), a(another), a(somePoll)
	bond, broker := places.BondingManager, places.TicketBroker
	return []published{
		{"RoundsManager", places.RoundsManager, "NewRound", []any{number(3501), [32]byte{7}},
			contracts.NewRound{origin, 3501, protocol.Hash{7}}},
		{"BondingManager", bond, "TranscoderActivated", []any{x, number(3502)},
			contracts.TranscoderActivated{origin, other, 3502}},
		{"BondingManager", bond, "TranscoderDeactivated", []any{x, number(3502)},
			contracts.TranscoderDeactivated{origin, other, 3502}},
		{"BondingManager", bond, "TranscoderUpdate", []any{x, number(100_000), number(50_000)},
			contracts.TranscoderUpdate{origin, other, 100_000, 50_000}},
		{"BondingManager", bond, "Reward", []any{x, tokens(5)}, contracts.Reward{origin, other, core.LPTTokens(5)}},
		{"BondingManager", bond, "TreasuryReward", []any{x, y, tokens(5)}, contracts.TreasuryReward{origin, other,
			core.LPTTokens(5)}},
		{"BondingManager", bond, "RewardCallerSet", []any{x, y}, contracts.RewardCallerSet{origin, other, another}},
		{"BondingManager", bond, "Bond", []any{x, y, z, tokens(1), tokens(2)},
			contracts.Bond{origin, other, another, somePoll, core.LPTTokens(1), core.LPTTokens(2)}},
		{"BondingManager", bond, "Unbond", []any{x, y, number(4), tokens(1), number(3508)},
			contracts.Unbond{origin, other, another, 4, core.LPTTokens(1), 3508}},
		{"BondingManager", bond, "Rebond", []any{x, y, number(4), tokens(1)},
			contracts.Rebond{origin, other, another, 4, core.LPTTokens(1)}},
		{"BondingManager", bond, "WithdrawStake", []any{x, number(4), tokens(1), number(3508)},
			contracts.WithdrawStake{origin, other, 4, core.LPTTokens(1)}},
		{"BondingManager", bond, "WithdrawFees", []any{x, y, number(6)}, contracts.WithdrawFees{origin, other, another,
			core.NewWei(6)}},
		{"TicketBroker", broker, "DepositFunded", []any{x, number(6)}, contracts.DepositFunded{origin, other,
			core.NewWei(6)}},
		{"TicketBroker", broker, "ReserveFunded", []any{x, number(6)}, contracts.ReserveFunded{origin, other,
			core.NewWei(6)}},
		{"TicketBroker", broker, "ReserveClaimed", []any{x, y, number(6)}, contracts.ReserveClaimed{origin, other,
			another, core.NewWei(6)}},
		{"TicketBroker", broker, "Withdrawal", []any{x, number(6), number(7)},
			contracts.Withdrawal{origin, other, core.NewWei(6), core.NewWei(7)}},
		{"TicketBroker", broker, "Unlock", []any{x, number(3500), number(3502)},
			contracts.Unlock{origin, other, 3500, 3502}},
		{"TicketBroker", broker, "UnlockCancelled", []any{x}, contracts.UnlockCancelled{origin, other}},
		{"TicketBroker", broker, "WinningTicketTransfer", []any{x, y, number(6)},
			contracts.WinningTicketTransfer{origin, other, another, core.NewWei(6)}},
		{"TicketBroker", broker, "WinningTicketRedeemed", []any{x, y, number(6), never, number(8), number(9), []byte{1, 2}},
			contracts.WinningTicketRedeemed{
				Origin: origin, Sender: other, Recipient: another, FaceValue: core.NewWei(6),
				WinProb:     protocol.Word(common.BigToHash(never)),
				SenderNonce: 8, RecipientRand: protocol.Word{31: 9}, AuxData: []byte{1, 2},
			}},
		{"ServiceRegistry", places.ServiceRegistry, "ServiceURIUpdate", []any{x, "https://h:8935"},
			contracts.ServiceURIUpdate{origin, places.ServiceRegistry, other, "https://h:8935"}},
		{"ServiceRegistry", places.AIServiceRegistry, "ServiceURIUpdate", []any{x, "https://h:8935"},
			contracts.ServiceURIUpdate{origin, places.AIServiceRegistry, other, "https://h:8935"}},
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	d := contracts.NewDecoder(places)
	topics := map[common.Hash]bool{}
	for _, tt := range allEvents() {
		log := logged(t, tt.contract, tt.at, tt.event, tt.args...)
		topics[log.Topics[0]] = true
		got, err := d.Decode(log)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, %v", tt.event, got, err)
			continue
		}
		if got.From() != origin {
			t.Errorf("%s comes from %+v", tt.event, got.From())
		}
		log.Removed = true
		if got, err := d.Decode(log); err != nil || !got.From().Removed {
			t.Errorf("%s: a removal is not published: %v", tt.event, err)
		}
		foreign := *log
		foreign.Address = common.Address{0xff}
		if got, err := d.Decode(&foreign); got != nil || err != nil {
			t.Errorf("%s of a stranger gave %v, %v", tt.event, got, err)
		}
	}
	for _, topic := range d.Topics() {
		if !topics[topic] {
			t.Errorf("the topic %s has no test", topic)
		}
		delete(topics, topic)
	}
	if len(topics) != 0 {
		t.Errorf("topics are not asked for: %v", topics)
	}
}

// The kinds that the protocol's description says an orchestrator needs.
func TestTopicsNeeded(t *testing.T) {
	t.Parallel()
	have := map[common.Hash]bool{}
	for _, topic := range contracts.NewDecoder(places).Topics() {
		have[topic] = true
	}
	for _, signature := range []string{
		"NewRound(uint256,bytes32)", "TranscoderActivated(address,uint256)", "TranscoderDeactivated(address,uint256)",
		"Unbond(address,address,uint256,uint256,uint256)", "Rebond(address,address,uint256,uint256)",
		"WithdrawStake(address,uint256,uint256,uint256)", "DepositFunded(address,uint256)", "ReserveFunded(address,uint256)",
		"Withdrawal(address,uint256,uint256)", "WinningTicketTransfer(address,address,uint256)",
		"Unlock(address,uint256,uint256)",
		"UnlockCancelled(address)", "ServiceURIUpdate(address,string)",
	} {
		if !have[crypto.Keccak256Hash([]byte(signature))] {
			t.Errorf("%s is not asked for", signature)
		}
	}
}

func TestContractsToAsk(t *testing.T) {
	t.Parallel()
	want := []common.Address{a(places.BondingManager), a(places.TicketBroker), a(places.RoundsManager),
		a(places.ServiceRegistry), a(places.AIServiceRegistry)}
	if got := contracts.NewDecoder(places).Contracts(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	bare := places
	bare.AIServiceRegistry = core.Address{}
	if got := contracts.NewDecoder(bare).Contracts(); len(got) != 4 {
		t.Errorf("the zero address is called: %v", got)
	}
}

func TestDecodeBroken(t *testing.T) {
	t.Parallel()
	d := contracts.NewDecoder(places)
	if got, err := d.Decode(&types.Log{Address: a(places.BondingManager)}); got != nil || err != nil {
		t.Errorf("no topics: %v, %v", got, err)
	}
	if got, err := d.Decode(&types.Log{Address: a(places.BondingManager), Topics: []common.Hash{{1}}}); got != nil ||
		err != nil {
		t.Errorf("an unknown kind: %v, %v", got, err)
	}
	for _, tt := range allEvents() {
		whole := logged(t, tt.contract, tt.at, tt.event, tt.args...)
		short := *whole
		short.Topics = whole.Topics[:len(whole.Topics)-1]
		if got, err := d.Decode(&short); len(short.Topics) > 0 && !errors.Is(err, fault.ContractAnswerInvalid) {
			t.Errorf("%s with a topic too few: %v, %v", tt.event, got, err)
		}
		if len(whole.Data) == 0 {
			continue
		}
		for _, data := range [][]byte{nil, whole.Data[:len(whole.Data)-32]} {
			cut := *whole
			cut.Data = data
			if got, err := d.Decode(&cut); !errors.Is(err, fault.ContractAnswerInvalid) {
				t.Errorf("%s with %d of %d bytes: %v, %v", tt.event, len(data), len(whole.Data), got, err)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for i, tt := range allEvents() {
		log := logged(f, tt.contract, tt.at, tt.event, tt.args...)
		f.Add(uint8(i), uint8(len(log.Topics)), log.Data)
	}
	d, all := contracts.NewDecoder(places), allEvents()
	f.Fuzz(func(t *testing.T, kind, topics uint8, data []byte) {
		tt := all[int(kind)%len(all)]
		log := logged(t, tt.contract, tt.at, tt.event, tt.args...)
		for len(log.Topics) < int(topics)%8 {
			log.Topics = append(log.Topics, common.Hash{0xff})
		}
		log.Topics, log.Data = log.Topics[:topics%8], data
		event, err := d.Decode(log)
		if err != nil && (event != nil || !errors.Is(err, fault.ContractAnswerInvalid)) {
			t.Errorf("%v, %v", event, err)
		}
	})
}
