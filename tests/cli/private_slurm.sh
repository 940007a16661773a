#!/usr/bin/env bash
# A Slurm of one node on loopback, of its own keys, ports and folders, below FOLDER:
#   private_slurm.sh start FOLDER      then SLURM_CONF=FOLDER/slurm.conf
#   private_slurm.sh controller FOLDER starts the controller again
#   private_slurm.sh stop FOLDER       ends all of it
set -euo pipefail
folder=$2
export SLURM_CONF=$folder/slurm.conf

free_port() { # from $1 on
  local port=$1
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

controller() { slurmctld -i -f "$SLURM_CONF" >>"$folder/slurmctld.out" 2>&1; }

start() {
  mkdir -p "$folder"/{state,spool,munge}
  chmod 0711 "$folder/munge"
  head -c 1024 /dev/urandom >"$folder/munge/key"
  chmod 0400 "$folder/munge/key"
  munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
  local first=$((20000 + RANDOM % 20000)) controller_port node_port host
  controller_port=$(free_port "$first")
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
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MaxArraySize=10001
MaxJobCount=20000
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  echo "CgroupPlugin=cgroup/v1" >"$folder/cgroup.conf"
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

stop() {
  scancel --full --signal=KILL --user=root 2>/dev/null || true
  local file pid
  for file in slurmctld.pid slurmd.pid munge/pid; do
    pid=$(cat "$folder/$file" 2>/dev/null) || continue
    kill -KILL "$pid" 2>/dev/null || true
  done
  for pid in $(pgrep -f "^slurmstepd: " || true); do
    ! tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "SLURM_CONF=$SLURM_CONF" || kill -KILL "$pid" || true
  done
}

case $1 in
  start) start ;;
  controller) controller ;;
  stop) stop ;;
esac
