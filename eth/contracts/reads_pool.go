package contracts

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
)

// FirstInPool asks for the member with the highest stake; zero for an empty pool.
func (r Reads) FirstInPool(out *core.Address) Read {
	return view("BondingManager.getFirstTranscoderInPool", r.a.BondingManager,
		bondingABI.PackGetFirstTranscoderInPool(), bondingABI.UnpackGetFirstTranscoderInPool, setAddress(out))
}

// NextInPool asks for the member after one; zero after the last and for strangers.
func (r Reads) NextInPool(after core.Address, out *core.Address) Read {
	return view("BondingManager.getNextTranscoderInPool", r.a.BondingManager,
		bondingABI.PackGetNextTranscoderInPool(common.Address(after)), bondingABI.UnpackGetNextTranscoderInPool,
		setAddress(out))
}

// PoolSize asks how many members the pool has, which is the next round's set.
func (r Reads) PoolSize(out *int) Read {
	return view("BondingManager.getTranscoderPoolSize", r.a.BondingManager,
		bondingABI.PackGetTranscoderPoolSize(), bondingABI.UnpackGetTranscoderPoolSize, set(out, (*convert).count))
}

// PoolMaxSize asks how many members it may have.
func (r Reads) PoolMaxSize(out *int) Read {
	return view("BondingManager.getTranscoderPoolMaxSize", r.a.BondingManager,
		bondingABI.PackGetTranscoderPoolMaxSize(), bondingABI.UnpackGetTranscoderPoolMaxSize, set(out, (*convert).count))
}
