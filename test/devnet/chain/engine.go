package chain

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	ethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
)

// engine takes every header as it is. Ethereum's own rules ask for a second
// between blocks and compute the base fee, where Arbitrum makes several blocks in
// a second and sets the fee itself.
type engine struct{ *beacon.Beacon }

func newEngine() engine { return engine{beacon.New(ethash.NewFaker())} }

// VerifyHeader accepts the header: this program made it.
func (engine) VerifyHeader(consensus.ChainHeaderReader, *types.Header) error { return nil }

// VerifyHeaders accepts all headers.
func (engine) VerifyHeaders(_ consensus.ChainHeaderReader, headers []*types.Header) (chan<- struct{}, <-chan error) {
	results := make(chan error, len(headers))
	for range headers {
		results <- nil
	}
	return make(chan struct{}), results
}

// install puts the engine into a chain that the node made with its own. The node
// offers no other way to choose one, and the field is read again for every block.
func install(blocks *ethcore.BlockChain, with consensus.Engine) error {
	field := reflect.ValueOf(blocks).Elem().FieldByName("engine")
	if !field.IsValid() || field.Type() != reflect.TypeFor[consensus.Engine]() {
		return errors.New("this go-ethereum keeps its consensus engine elsewhere")
	}
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(with))
	return nil
}
