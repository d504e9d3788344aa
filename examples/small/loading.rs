//! This example shows work in the background: threads make a level while the game goes on.
//!
//! The engine has no threads or executor for such work. `Tasks` turns a function into one that any thread can run. In
//! the step `task::flush`, the schedule receives the results, in the order that the work was started in.

use std::thread;
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_core::system::from_fn;
use ecs_core::task::{self, Order, Tasks};

const REGIONS: usize = 6;
const TREES: usize = 2_000;

#[derive(Component)]
struct Tree {
    region: usize,
    height: f32,
}

#[derive(Resource, Default)]
struct Screen {
    frames: u32,
    loaded: Vec<usize>,
}

/// Makes the trees of a region, slowly.
fn grow(region: usize) -> Vec<Tree> {
    // The regions do not finish in the order of their numbers.
    thread::sleep(Duration::from_millis(10 * (1 + region as u64 * 5 % 7)));
    let height = |n: usize| 1.0 + (n * 2_654_435_761 % 1000) as f32 / 250.0;
    (0..TREES)
        .map(|n| Tree {
            region,
            height: height(n),
        })
        .collect()
}

/// Starts one thread per region.
#[system]
fn load(mut tasks: ResMut<Tasks>) {
    for region in 0..REGIONS {
        let work = tasks.work(
            move || grow(region),
            move |world, trees| match trees {
                Ok(trees) => {
                    world.spawn_batch(trees);
                    world.resource_mut::<Screen>().loaded.push(region);
                }
                Err(error) => eprintln!("region {region} is missing: {error}"),
            },
        );
        thread::spawn(work);
    }
}

/// Draws a bar whenever it has grown.
#[system]
fn draw(mut screen: ResMut<Screen>, trees: Query<&Tree>, mut drawn: Local<usize>) {
    screen.frames += 1;
    let loaded = screen.loaded.len();
    if *drawn != loaded {
        *drawn = loaded;
        let bar = "#".repeat(loaded) + &".".repeat(REGIONS - loaded);
        println!("[{bar}] {} trees", trees.count());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert_resource(Tasks::new(Order::Start));
    world.insert_resource(Screen::default());
    load(&world);

    let mut frame = Schedule::new();
    frame.add((from_fn(task::flush), draw));
    while world.resource::<Tasks>().pending() > 0 {
        frame.run(&mut world)?;
        thread::sleep(Duration::from_millis(1));
    }
    frame.run(&mut world)?;

    let screen = world.resource::<Screen>();
    println!("the game has drawn {} frames meanwhile", screen.frames);
    assert!(
        screen.loaded.iter().copied().eq(0..REGIONS),
        "in the order of their start"
    );
    assert!(screen.frames > 1, "the game did not wait");
    let trees = world.query::<&Tree>();
    assert_eq!(trees.count(), REGIONS * TREES);
    assert!(
        trees
            .iter()
            .all(|tree| tree.region < REGIONS && tree.height >= 1.0)
    );
    Ok(())
}
