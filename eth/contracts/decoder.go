package contracts

import (
	"errors"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// decode reads one kind of log that is known to carry data where it must.
type decode func(*convert, *types.Log) (Event, error)

// Decoder reads the events of one network's contracts.
type Decoder struct {
	a Addresses
	// byContract lists the kinds that each contract sends: any contract can send an event that looks the same.
	byContract map[common.Address]map[common.Hash]decode
}

// NewDecoder reads the events of the contracts at these addresses, of both
// registries.
func NewDecoder(a Addresses) Decoder {
	d := Decoder{a: a, byContract: map[common.Address]map[common.Hash]decode{
		common.Address(a.BondingManager): bondingEvents(),
		common.Address(a.RoundsManager):  roundsEvents(),
		common.Address(a.TicketBroker):   brokerEvents(),
	}}
	d.byContract[common.Address(a.ServiceRegistry)] = registryEvents()
	d.byContract[common.Address(a.AIServiceRegistry)] = registryEvents()
	delete(d.byContract, common.Address{})
	return d
}

// Contracts returns the addresses to ask logs of, in a fixed order.
func (d Decoder) Contracts() []common.Address {
	return slices.SortedFunc(maps.Keys(d.byContract), common.Address.Cmp)
}

// Topics returns the kinds of events to ask logs of, in a fixed order.
func (d Decoder) Topics() []common.Hash {
	all := map[common.Hash]bool{}
	for _, kinds := range d.byContract {
		for topic := range kinds {
			all[topic] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), common.Hash.Cmp)
}

// Decode reads a log. It returns nil without an error for logs of other contracts and of unused kinds;
// ContractAnswerInvalid for a log of ours that cannot be read.
func (d Decoder) Decode(log *types.Log) (Event, error) {
	if len(log.Topics) == 0 {
		return nil, nil
	}
	read, ok := d.byContract[log.Address][log.Topics[0]]
	if !ok {
		return nil, nil
	}
	c := new(convert)
	event, err := read(c, log)
	if err := errors.Join(err, c.err); err != nil {
		return nil, fault.Wrap(fault.ContractAnswerInvalid, "read an event", err)
	}
	return event, nil
}

func origin(log *types.Log) Origin {
	return Origin{
		Block: protocol.L2Block(log.BlockNumber), BlockHash: protocol.Hash(log.BlockHash),
		Tx: protocol.TxHash(log.TxHash), Index: log.Index, Removed: log.Removed,
	}
}

// reading makes a decode out of a binding's half and what builds the event.
func reading[T any](unpack func(*types.Log) (*T, error), build func(*convert, Origin, *T) Event) decode {
	return func(c *convert, log *types.Log) (Event, error) {
		v, err := unpack(log)
		if err != nil {
			return nil, err
		}
		return build(c, origin(log), v), nil
	}
}

// withData refuses a log without data: the bindings leave texts of such a log
// empty instead.
func withData(read decode) decode {
	return func(c *convert, log *types.Log) (Event, error) {
		if len(log.Data) == 0 {
			return nil, errors.New("a log without its data")
		}
		return read(c, log)
	}
}
