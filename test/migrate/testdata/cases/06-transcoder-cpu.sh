#!/bin/sh
# started from rc.local of a small machine
export LP_ORCHSECRET=verysecretword
livepeer -transcoder -orchAddr 192.0.2.10:8935 -maxSessions 4 -v 4
