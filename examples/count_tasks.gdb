# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x count_tasks.gdb jobs
# How many tasks each thread executes, without a stop that is shown.
set print thread-events off
set $tasks_1 = 0
set $tasks_2 = 0
ompd break task-begin make_jobs
commands
silent
eval "set $tasks_%d = $tasks_%d + 1", $_thread, $_thread
continue
end
break teams_of_teams
set trace-commands off
run
set trace-commands on
printf "GDB thread 1 executed %d tasks, GDB thread 2 %d\n", $tasks_1, $tasks_2
