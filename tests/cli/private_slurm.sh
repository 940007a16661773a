#!/usr/bin/env bash
# A Slurm of one node on loopback, with keys, ports and folders of its own below FOLDER. Needs root, slurm-wlm and munge.
#   private_slurm.sh start FOLDER       then SLURM_CONF=FOLDER/slurm.conf; ends with the process that called this
#   private_slurm.sh controller FOLDER  starts a controller again that was killed, and an administrator beside it
#   private_slurm.sh stop FOLDER        ends all of it, and all that was started with this SLURM_CONF
set -euo pipefail
folder=$2
export SLURM_CONF=$folder/slurm.conf PATH=$PATH:/usr/sbin

in_background() { setsid "$0" "$@" </dev/null >/dev/null 2>&1 & }

free_port() { # from $1 on
  local port=$1
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

controller() { slurmctld -i -f "$SLURM_CONF" >>"$folder/slurmctld.out" 2>&1; }

configure() {
  local controller_port node_port host
  controller_port=$(free_port $((20000 + RANDOM % 10000)))
  node_port=$(free_port $((controller_port + 1)))
  host=$(hostname -s)
  cat >"$SLURM_CONF" <<END
ClusterName=private
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
BatchStartTimeout=1
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MaxArraySize=10001
MaxJobCount=20000
NodeName=$host NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  echo "CgroupPlugin=cgroup/v1" >"$folder/cgroup.conf"
}

start() {
  mkdir -p "$folder"/{state,spool,munge}
  chmod 0711 "$folder/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
  configure
  in_background guard "$folder" "$PPID"
  munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
  controller
  slurmd -f "$SLURM_CONF" >"$folder/slurmd.out" 2>&1
  for ((i = 0; i < 100; ++i)); do
    [ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || return 0
    sleep 0.1
  done
  echo "slurm did not start:" >&2
  tail -n 5 "$folder"/*.log >&2
  return 1
}

# SIGKILL, and twice: what starts something while it is looked for is gone by the second time.
stop() {
  local file pid
  for file in slurmctld.pid slurmd.pid munge/pid; do
    pid=$(cat "$folder/$file" 2>/dev/null) || continue
    [ ! -e "/proc/$pid" ] || ! grep -qaF "$folder" "/proc/$pid/cmdline" || kill -KILL "$pid" 2>/dev/null || true
  done
  for _ in 1 2; do
    for file in $(grep -lzxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ 2>/dev/null || true); do
      pid=${file//[^0-9]/}
      [ "$pid" = $$ ] || kill -KILL "$pid" 2>/dev/null || true
    done
  done
}

case $1 in
  start) start ;;
  controller)
    controller
    in_background administrator "$folder"
    ;;
  stop) stop ;;
  guard) # whatever ends process $3, this ends the rest
    while [ -e "/proc/$3" ]; do sleep 0.2; done
    stop
    rm -rf "$folder"
    ;;
  administrator)
    # What the controller takes for running may have ended meanwhile: it learns so when nodes register, which they do
    # some minutes later, or when they are told to. And "Duplicate jobid" takes a node out of service.
    while sleep 2; do
      scontrol reconfigure || true
      [[ $(sinfo -h -o %T) != dr* ]] || scontrol update "nodename=$(hostname -s)" state=resume || true
    done
    ;;
  *) exit 2 ;;
esac
