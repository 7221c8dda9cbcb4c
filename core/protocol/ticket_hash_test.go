package protocol_test

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// The tickets of the protocol's test vectors.
func TestTicketHash(t *testing.T) {
	t.Parallel()
	prob, _ := protocol.WordOf(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 252), big.NewInt(1)))
	ticket := protocol.WinningTicket{
		Recipient: core.Address(bytes.Repeat([]byte{0x11}, 20)),
		Sender:    core.Address(common.HexToAddress("0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf")),
		FaceValue: core.NewWei(1e15), WinProb: prob,
		RecipientRandHash: protocol.Hash(
			common.HexToHash("0x2cefe4e59877c202aee3aa8ffbee360a0e2b0b13d3c8a71ff2f292d98141c88b"),
		),
		CreationRound: 3500, CreationRoundHash: protocol.Hash(bytes.Repeat([]byte{0xab}, 32)),
	}
	if got := hex.EncodeToString(ticket.AuxData()); got != strings.Repeat("0", 61)+"dac"+strings.Repeat("ab", 32) {
		t.Errorf("auxData %s", got)
	}
	for nonce, want := range map[uint64]string{
		1: "0x17f3503b656fed33259b69a455fc59f4faf745591569f58f6c9246fd193031c0",
		7: "0xfa3ec51bf134346b8cb6d759e5cc54f7a0e55a8dc44bca394e3addf1b3f563ae",
	} {
		ticket.SenderNonce = nonce
		if got := ticket.Hash().String(); got != want {
			t.Errorf("nonce %d: %s, want %s", nonce, got, want)
		}
	}
}
