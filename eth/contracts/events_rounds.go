package contracts

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// roundsEvents are the kinds that the rounds contract sends.
func roundsEvents() map[common.Hash]decode {
	return map[common.Hash]decode{
		topicOf("NewRound(uint256,bytes32)"): withData(reading(roundsABI.UnpackNewRoundEvent,
			func(c *convert, o Origin, v *bindings.RoundsManagerNewRound) Event {
				return NewRound{o, c.round(v.Round), v.BlockHash}
			})),
	}
}

// registryEvents are the kinds that a service registry sends.
func registryEvents() map[common.Hash]decode {
	return map[common.Hash]decode{
		topicOf("ServiceURIUpdate(address,string)"): withData(reading(registryABI.UnpackServiceURIUpdateEvent,
			func(_ *convert, o Origin, v *bindings.ServiceRegistryServiceURIUpdate) Event {
				return ServiceURIUpdate{o, core.Address(v.Raw.Address), core.Address(v.Addr), v.ServiceURI}
			})),
	}
}

// topicOf returns the first topic of an event's logs.
func topicOf(signature string) common.Hash { return crypto.Keccak256Hash([]byte(signature)) }
