#!/bin/bash
# ~/start.sh in a screen session
cd ~
livepeer -network=arbitrum-one-mainnet -ethUrl=https://arb1.example.org/rpc -ethPassword=/home/livepeer/.lpData/ethpass -orchestrator -transcoder -pricePerUnit=1500 -serviceAddr=203.0.113.7:8935 -monitor -metricsPerStream -metricsClientIP=false -startupAvailabilityCheck=false -hevcDecoding=false -minGasPrice 0 -gasLimit 0 -priceFeedAddr 0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612
