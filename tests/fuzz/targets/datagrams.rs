#![cfg_attr(fuzzing, no_main)]

ecs_fuzz::target!(datagrams);
